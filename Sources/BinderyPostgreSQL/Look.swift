/// What a server has seen in the database.
struct Look {
  /// The head; nil if the store is new.
  let head: Position?
  /// The rows of the function `look`: the batches after the position of the server.
  let rows: PostgreSQLRows
}
