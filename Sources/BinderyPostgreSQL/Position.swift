/// The place in the log that a server has reached: what the head row must contain for the next append to be kept.
struct Position: Equatable {
  /// The last revision.
  var revision: Int
  /// The hash of all batches up to that revision.
  var chain: [UInt8]
  /// A number that changes whenever a server must exclude appends whose outcome it does not know.
  var token: Int
  /// The history that the revisions belong to.
  let history: String
  /// The timeline of the database under which the history began. A promotion of a standby begins another one.
  let timeline: String
}
