import BinderyHTTP

/// The sites whose pages may ask (Fetch, “CORS protocol”), and the fields that tell their browsers so.
package struct Origins: Sendable {
  /// An origin as browsers send it, and the fields of every answer to it.
  private let allowed: [(origin: [UInt8], fields: FieldLines)]
  /// The fields of every answer to anybody else.
  let fields: FieldLines

  /// - Parameter origins: as ``normalized(_:)`` gives them.
  package init(_ origins: [String]) {
    let common: @Sendable (inout ResponseWriter) -> Void = { output in
      output.field(.xContentTypeOptions, "nosniff")
      output.field(.crossOriginResourcePolicy, "same-origin")
      // Whoever keeps answers must know that they depend on who asks, and that also of an answer to nobody's page.
      if !origins.isEmpty { output.field(.vary, "Origin") }
    }
    fields = FieldLines(common)
    allowed = origins.map { origin in
      let fields = FieldLines { output in
        common(&output)
        output.field(.accessControlAllowOrigin, origin)
        output.field(.accessControlAllowCredentials, "true")
        output.field(.accessControlExposeHeaders, Self.exposed)
      }
      return (Array(origin.utf8), fields)
    }
  }

  /// What a page's script may read of an answer, beyond what it always may.
  private static let exposed = """
    ETag, State-Revision, State-Changed, Write-Outcome, Location, Link, Allow, Accept-Patch, Accept-Post, \
    Preference-Applied, Retry-After, WWW-Authenticate
    """

  /// The fields of every answer to a request; nil where its origin is not allowed.
  func fields(for head: borrowing RequestHead, _ bytes: Span<UInt8>) -> FieldLines? {
    guard !allowed.isEmpty, let origin = Self.origin(head) else { return nil }
    return allowed.first { bytes.holds($0.origin, at: origin) }?.fields
  }

  /// The one origin that a request names.
  static func origin(_ head: borrowing RequestHead) -> Range<Int>? {
    var count = 0
    var origin: Range<Int>?
    head.forEach(.origin) { range in
      count += 1
      origin = range
    }
    return count == 1 ? origin : nil
  }

  /// Whether a request asks what a page may send (Fetch, “CORS-preflight request”).
  static func isPreflight(_ head: borrowing RequestHead) -> Bool {
    guard case .options = head.method else { return false }
    return head.contains(.accessControlRequestMethod) && head.contains(.origin)
  }

  /// The answer to that.
  static func answerPreflight(_ output: inout ResponseWriter) {
    output.start(.noContent)
    output.field(.accessControlAllowMethods, "GET, HEAD, PATCH, PUT, POST, DELETE, OPTIONS")
    output.field(
      .accessControlAllowHeaders,
      "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, Prefer, traceparent")
    // Two hours: the most that any browser keeps.
    output.field(.accessControlMaxAge, 7_200)
    output.finish()
  }

  /// An origin as browsers send it (RFC 6454 §6.2): scheme, host and a port that is not the scheme's own.
  ///
  /// - Returns: nil for what is no origin: `*` and `null` among others.
  package static func normalized(_ text: String) -> String? {
    let text = text.lowercased()
    guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return nil }
    var host = text.dropFirst(scheme.count)
    var port = ""
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
      let digits = host[host.index(after: colon)...]
      guard digits.utf8.allSatisfy(\.isDigit), let number = UInt16(digits) else { return nil }
      if number != (scheme == "https://" ? 443 : 80) { port = ":\(number)" }
      host = host[..<colon]
    }
    guard HostNames.isName(String(host)) else { return nil }
    return scheme + host + port
  }
}

extension Span<UInt8> {
  /// Whether some bytes stand in a range, and nothing else.
  func holds(_ expected: [UInt8], at range: Range<Int>) -> Bool {
    guard expected.count == range.count else { return false }
    var index = range.lowerBound
    for byte in expected {
      if self[index] != byte { return false }
      index += 1
    }
    return true
  }
}
