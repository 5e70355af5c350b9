import BinderyHTTP
import BinderyText

/// The origins whose pages may send requests, and the CORS header fields for them
/// (https://fetch.spec.whatwg.org/#http-cors-protocol).
package struct Origins: Sendable {
  private let names: [String]
  /// Each allowed origin as browsers send it, with the header fields of every response to it.
  private let allowed: [(origin: [UInt8], fields: FieldLines)]
  /// The header fields of every other response.
  let fields: FieldLines

  /// Creates a list of allowed origins.
  ///
  /// - Parameter origins: Origins in the form that ``normalized(_:)`` returns.
  package init(_ origins: [String]) { self.init(origins, FieldLines()) }

  /// Returns the same origins, with further header fields in every response.
  func adding(_ fields: FieldLines) -> Origins { Origins(names, fields) }

  private init(_ origins: [String], _ additionalFields: FieldLines) {
    names = origins
    let common: @Sendable (inout ResponseWriter) -> Void = { output in
      output.append(additionalFields)
      output.field(.xContentTypeOptions, "nosniff")
      output.field(.crossOriginResourcePolicy, "same-origin")
      // Caches must know that responses depend on the origin, even responses to requests without one.
      if !origins.isEmpty { output.field(.vary, "Origin") }
    }
    fields = FieldLines(common)
    allowed = origins.map { origin in
      let fields = FieldLines { output in
        common(&output)
        output.field(.accessControlAllowOrigin, origin)
        output.field(.accessControlAllowCredentials, "true")
        output.field(.accessControlExposeHeaders, Self.exposedHeaders)
      }
      return (Array(origin.utf8), fields)
    }
  }

  /// The response headers that a page's script may read besides the CORS-safelisted ones.
  private static let exposedHeaders = """
    ETag, State-Revision, State-History, State-Changed, Write-Outcome, Location, Link, Collection-Count, Allow, \
    Accept-Patch, Accept-Post, Idempotency-Replayed, Preference-Applied, Retry-After, WWW-Authenticate
    """

  /// Returns the header fields of every response to a request, or nil if its origin is not allowed.
  func fields(for head: borrowing RequestHead, _ bytes: Span<UInt8>) -> FieldLines? {
    // The parser rejects a request with more than one Origin header.
    guard !allowed.isEmpty, let origin = head.first(.origin) else { return nil }
    return allowed.first { bytes.holds($0.origin, at: origin) }?.fields
  }

  /// Returns whether `Origin` and `Sec-Fetch-Site`, as far as the request has them, name the origin of this server.
  ///
  /// A client that sends neither is not a browser page. A `null` origin is never this server's.
  static func areOwn(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    if let origin = head.first(.origin), !isOwn(origin, head, bytes) { return false }
    return isOwnSite(head, bytes)
  }

  /// Returns whether an origin has the same host as the request.
  ///
  /// Both schemes are accepted, because only the TLS proxy in front of the server knows which one the browser used. A
  /// proxy may add the default port to the host, which browsers leave out.
  static func isOwn(_ origin: Range<Int>, _ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    var host = bytes.text(head.authority).lowercased()
    // An empty port is the default port (RFC 3986 §3.2.3).
    if host.hasSuffix(":") { host.removeLast() }
    return !host.isEmpty
      && [("http://", ":80"), ("https://", ":443")].contains { scheme, port in
        bytes.matches(origin, ignoringCase: scheme + host)
          || host.hasSuffix(port) && bytes.matches(origin, ignoringCase: scheme + host.dropLast(port.count))
      }
  }

  /// Returns whether `Sec-Fetch-Site` is missing or names this server's origin.
  static func isOwnSite(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    guard let site = head.first(.secFetchSite) else { return true }
    return bytes.matches(site, ignoringCase: "same-origin") || bytes.matches(site, ignoringCase: "none")
  }

  /// The request header fields that the resources of the server read.
  private static let ownFields = [
    "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID", "Prefer",
    "State-History", "State-Revision", "traceparent",
  ]

  /// Returns the response to a CORS preflight.
  ///
  /// It also allows the other fields that the page asks for, which endpoints and middleware of the program may read:
  /// the pages of allowed origins are trusted.
  static func preflightResponse(to head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Response {
    let requested = head.first(.accessControlRequestHeaders).map { bytes.text($0).lowercased() } ?? ""
    let others = requested.split { $0 == "," || $0 == " " }.map(String.init).filter { name in
      name.utf8.allSatisfy(\.isUnreserved) && !ownFields.contains { $0.lowercased() == name }
    }
    var response = Response(.noContent)
    response.addField(.accessControlAllowMethods, "GET, HEAD, PATCH, PUT, POST, DELETE, OPTIONS")
    response.addField(.accessControlAllowHeaders, (ownFields + others).joined(separator: ", "))
    // Two hours, the maximum in Chromium-based browsers.
    response.addField(.accessControlMaxAge, "7200")
    return response
  }

  /// Returns an origin as browsers send it (RFC 6454 §6.2): scheme, host, and the port unless it is the default one.
  ///
  /// - Returns: nil if the text is not an origin. `*` and `null` are not.
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
  /// Returns whether the bytes in a range equal the expected bytes.
  func holds(_ expected: [UInt8], at range: Range<Int>) -> Bool {
    expected.span.hasSameBytes(as: extracting(range))
  }
}
