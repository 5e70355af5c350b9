import BinderyHTTP
import BinderyText

/// The media types of request bodies.
enum MediaType: Sendable {
  case json
  case mergePatch
  case jsonPatch

  /// The value of `Accept-Patch`.
  static let patch = "application/json, application/merge-patch+json, application/json-patch+json"
  /// The value of `Accept-Post`.
  static let post = "application/json"

  /// Returns the media type of a request's body, or nil if the method does not accept it.
  ///
  /// A missing type and curl's default (`application/x-www-form-urlencoded`) mean JSON, always for `PATCH` and `PUT`:
  /// an HTML form or a simple cross-origin request (CORS) cannot send them. A `POST` of a page of another site must say
  /// that its body is JSON, which requires a CORS preflight.
  static func ofBody(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> MediaType? {
    guard let range = head.first(.contentType) else { return acceptsDefaultType(head, bytes) ? .json : nil }
    if bytes.matches(range, ignoringCase: "application/json") { return .json }
    let text = bytes.lowercaseASCII(range)
    // Parameters without a type (RFC 9110 §8.3.1).
    guard text.utf8.first != UInt8(ascii: ";") else { return nil }
    var parts = text[...].splitOutsideQuotes(";", maximumCount: 20).map(\.trimmed)[...]
    let essence = parts.popFirst() ?? ""
    for parameter in parts where parameter.hasPrefix("charset=") {
      guard ["charset=utf-8", "charset=\"utf-8\""].contains(parameter) else { return nil }
    }
    switch (essence, head.method) {
    case ("application/json", _): return .json
    case ("application/x-www-form-urlencoded", _), ("", _): return acceptsDefaultType(head, bytes) ? .json : nil
    case ("application/merge-patch+json", .patch): return .mergePatch
    case ("application/json-patch+json", .patch): return .jsonPatch
    default: return nil
    }
  }

  /// Returns whether a body without a type, or with curl's default type, is JSON.
  private static func acceptsDefaultType(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    switch head.method {
    case .patch, .put: true
    case .post: Origins.areOwn(head, bytes)
    default: false
    }
  }

  /// Returns the media type of a `POST` request, whose body is JSON.
  ///
  /// - Throws: `unsupported-media-type`.
  static func requireJSON(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    try rejectContentEncoding(head, bytes)
    if ofBody(head, bytes) == nil { throw .unsupportedMediaType(head, bytes, AllowedMethods.postOnly) }
  }
}

extension Problem {
  /// Returns the problem for a body whose type the method does not accept.
  static func unsupportedMediaType(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ allowed: AllowedMethods
  ) -> Problem {
    let types = head.method == .patch ? MediaType.patch : MediaType.post
    let sent = head.first(.contentType).map { "the Content-Type “\(bytes.text($0))”" } ?? "a body without Content-Type"
    let reason =
      head.method == .post && !Origins.areOwn(head, bytes) ? " from a web page of another site" : ""
    return Problem(
      .unsupportedMediaType, "\(head.method.name) does not accept \(sent)\(reason). Send one of the expected types."
    ).with {
      $0.expected = "Content-Type: " + types.replacing(", ", with: " or ")
      $0.fields = [(.acceptPatch, allowed.acceptPatch), (.acceptPost, allowed.acceptPost)]
    }
  }
}

extension MediaType {
  /// Throws if the body has a content coding (RFC 9110 §8.4), because none is supported.
  ///
  /// - Throws: `unsupported-media-type`.
  static func rejectContentEncoding(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    try head.forEach(.contentEncoding) { coding throws(Problem) in
      if coding.isEmpty || bytes.matches(coding, ignoringCase: "identity") { return }
      throw Problem(.unsupportedMediaType, "Content-Encoding is not supported. Send the body uncompressed.")
        .with { $0.fields = [(.acceptEncoding, "identity")] }
    }
  }
}

/// The media type that the client prefers for the response: the field `Accept` (RFC 9110 §12.5.1).
package enum ResponseFormat: Sendable {
  /// `application/json`
  case json
  /// `text/event-stream`
  case events

  /// Returns whether the client accepts this format at all, for resources that have no other one.
  func isAccepted(by head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    guard head.contains(.accept) else { return true }
    let ranges = Self.ranges(head, bytes)
    let weights = Self.weights(ranges)
    return ranges.isEmpty || (self == .events ? weights.events : weights.json).quality > 0
  }

  /// Returns the first 100 media ranges of all lines of `Accept` with their first parameters, in lower case. Browsers
  /// send up to ten ranges.
  static func ranges(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> [(type: String, parameters: [String])] {
    var ranges: [(type: String, parameters: [String])] = []
    head.forEach(.accept) { line in
      for item in bytes.lowercaseASCII(line)[...].splitOutsideQuotes(",", maximumCount: 100 - ranges.count) {
        let parts = item.splitOutsideQuotes(";", maximumCount: 20).map(\.trimmed)
        if let type = parts.first { ranges.append((type, Array(parts.dropFirst()))) }
      }
    }
    return ranges
  }

  /// Returns the preferred format, or nil if the client accepts neither.
  static func preferred(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> ResponseFormat? {
    guard head.contains(.accept) else { return .json }
    // Fast path without parsing, for the values that nearly all clients send.
    var lines = 0
    var isPlain = true
    head.forEach(.accept) { range in
      lines += 1
      isPlain = bytes.matches(range, ignoringCase: "*/*") || bytes.matches(range, ignoringCase: "application/json")
    }
    if lines == 1, isPlain { return .json }
    let ranges = ranges(head, bytes)
    guard !ranges.isEmpty else { return .json }
    let (json, events) = weights(ranges)
    // Events are sent only if `Accept` names their type: `*/*` means JSON.
    if events.specificity == 2, events.quality > 0, events.quality >= json.quality { return .events }
    return json.quality > 0 ? .json : nil
  }

  /// How much a client wants a type, in thousandths, and how specific the range is that says so.
  private typealias Weight = (quality: Int, specificity: Int)

  /// Returns the weights of the two types. The most specific range that matches a type counts.
  private static func weights(_ ranges: [(type: String, parameters: [String])]) -> (json: Weight, events: Weight) {
    var (json, events): (Weight, Weight) = ((0, -1), (0, -1))
    for (type, parameters) in ranges {
      let quality = parameters.first { $0.hasPrefix("q=") }.map { Self.quality($0.dropFirst(2)) } ?? 1000
      apply(type, quality, ["*/*", "application/*", "application/json"], &json)
      apply(type, quality, ["*/*", "text/*", "text/event-stream"], &events)
    }
    return (json, events)
  }

  /// Applies one media range to the weight of a type.
  ///
  /// - Parameter ranges: The ranges that match the type, the most specific last.
  private static func apply(_ type: String, _ quality: Int, _ ranges: [String], _ weight: inout Weight) {
    guard let rank = ranges.firstIndex(of: type), rank >= weight.specificity else { return }
    weight = (rank == weight.specificity ? max(weight.quality, quality) : quality, rank)
  }

  /// Returns a weight in thousandths (RFC 9110 §12.4.2), or 0 if it is malformed.
  private static func quality(_ text: Substring) -> Int {
    let (whole, decimals) = (text.prefix(1), text.dropFirst(2))
    guard whole == "0" || whole == "1", text.dropFirst().first ?? "." == ".", decimals.utf8.count <= 3,
      decimals.utf8.allSatisfy(\.isDigit)
    else { return 0 }
    return min(Int(whole + decimals + String(repeating: "0", count: 3 - decimals.utf8.count)) ?? 0, 1000)
  }
}

// Bytes and not characters, because a combining mark after a separator must not hide it, and because finding the
// characters of a text takes a hundred times as long.
extension Substring {
  /// Splits a value at a separator that is not in a quoted string (RFC 9110 §5.6.4). Empty parts are left out.
  ///
  /// - Parameter maximumCount: The number of parts after which the rest is left out.
  func splitOutsideQuotes(_ separator: Unicode.Scalar, maximumCount: Int) -> [Substring] {
    var isQuoted = false
    var isEscaped = false
    var parts: [Substring] = []
    var start = startIndex
    for index in utf8.indices {
      if parts.count >= maximumCount { return parts }
      let byte = utf8[index]
      guard !isEscaped else {
        isEscaped = false
        continue
      }
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      isEscaped = isQuoted && byte == UInt8(ascii: "\\")
      guard !isQuoted, byte == UInt8(ascii: separator) else { continue }
      if start < index { parts.append(self[start..<index]) }
      start = utf8.index(after: index)
    }
    return start < endIndex && parts.count < maximumCount ? parts + [self[start...]] : parts
  }

}

extension StringProtocol {
  /// The text without spaces and tabs at both ends.
  var trimmed: String {
    var text = Substring(self).utf8
    while let first = text.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") { text.removeFirst() }
    while let last = text.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { text.removeLast() }
    return String(Substring(text))
  }
}
