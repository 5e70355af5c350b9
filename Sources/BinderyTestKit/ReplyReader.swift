/// An incremental parser of the responses on a connection.
package struct ReplyReader {
  private var bytes: [UInt8] = []

  package init() {}

  /// Whether all received bytes belong to responses that were returned.
  package var isEmpty: Bool { bytes.isEmpty }

  /// Appends received bytes.
  package mutating func append(_ received: [UInt8]) { bytes += received }

  /// Removes and returns the next response; nil if it is incomplete.
  ///
  /// - Parameters:
  ///   - isHead: The request was a HEAD, so no content follows (RFC 9110 §9.3.2).
  ///   - skippingInterim: Whether interim responses (RFC 9110 §15.2) are removed and not returned.
  package mutating func next(
    isHead: Bool, skippingInterim: Bool = true
  ) throws(EventStreamReader.Failure) -> Reply? {
    while !bytes.isEmpty {
      var reader = EventStreamReader(isHead: isHead)
      var rest = bytes[...]
      try reader.consume(&rest)
      guard let reply = reader.reply else { return nil }
      bytes = Array(rest)
      if reply.status >= 200 || !skippingInterim { return reply }
    }
    return nil
  }
}
