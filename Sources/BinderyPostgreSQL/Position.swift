import BinderyCryptography

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

extension Position {
  /// Returns the hash of a batch and of all batches before it.
  ///
  /// - Parameters:
  ///   - previous: The hash of the batches before it.
  ///   - nonce: Differs between any two appends, so that equal batches of two servers have different hashes. Otherwise
  ///     a server that looks for its own batch could take that of another server for it.
  static func chain(
    after previous: [UInt8], _ nonce: [UInt8], first: Int, last: Int, _ patches: [UInt8]
  ) -> [UInt8] {
    BLAKE2b.digest(previous + nonce + Array("\(first) \(last)\n".utf8) + patches)
  }
}
