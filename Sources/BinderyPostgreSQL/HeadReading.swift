/// The result of a check of the head.
struct HeadReading {
  /// The head; nil if the store is new.
  let head: Position?
  /// The rows of the function `read_head`: the batches after the position of the server.
  let rows: PostgreSQLRows
}
