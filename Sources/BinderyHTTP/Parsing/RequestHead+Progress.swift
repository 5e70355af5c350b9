extension RequestHead {
  /// Where the parser stands in a head of which only a part has come, and what it has seen so far.
  struct Progress: Sendable {
    /// Where the first line begins that is not yet read.
    var lineStart = 0
    /// Up to where that line is known to hold no line end.
    var scanned = 0
    /// Where the first field line begins; 0 until the request line is read.
    var fieldsStart = 0
    var hasHost = false
    /// Whether a `Connection` field has asked for the close, which a later one cannot take back.
    var hasClose = false
    var hasUnknownExpectation = false
    /// Whether a transfer coding other than `chunked` was named, which may only stand before that.
    var hasUnknownCoding = false
    /// Which fields that may stand once have come: a bit for each name.
    var singles: UInt64 = 0
  }
}
