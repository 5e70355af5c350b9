import BinderyHTTP

/// The media types of request bodies.
enum MediaType: Sendable {
  case json
  case mergePatch
  case jsonPatch

  /// The value of `Accept-Patch`.
  static let patch = "application/json, application/merge-patch+json, application/json-patch+json"
  /// The value of `Accept-Post`.
  static let post = "application/json"

  /// Creates the media type of a request's body, or nil if the method does not accept it.
  ///
  /// A missing type and curl's default (`application/x-www-form-urlencoded`) mean JSON, always for `PATCH` and `PUT`:
  /// an HTML form or a simple cross-origin request (CORS) cannot send them. A `POST` of a page of another site must say
  /// that its body is JSON, which requires a CORS preflight.
  init?(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
    guard let range = head.first(.contentType) else {
      guard Self.acceptsDefaultType(head, bytes) else { return nil }
      self = .json
      return
    }
    if bytes.matches(range, ignoringCase: "application/json") {
      self = .json
      return
    }
    var parts = bytes.text(range).split(separator: ";").map { $0.trimmed.lowercased() }[...]
    let essence = parts.popFirst() ?? ""
    for parameter in parts where parameter.hasPrefix("charset=") {
      guard ["charset=utf-8", "charset=\"utf-8\""].contains(parameter) else { return nil }
    }
    switch (essence, head.method) {
    case ("application/json", _): self = .json
    case ("application/x-www-form-urlencoded", _), ("", _):
      guard Self.acceptsDefaultType(head, bytes) else { return nil }
      self = .json
    case ("application/merge-patch+json", .patch): self = .mergePatch
    case ("application/json-patch+json", .patch): self = .jsonPatch
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
    if MediaType(head, bytes) == nil { throw .unsupportedMediaType(head, bytes, AllowedMethods.postOnly) }
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
      $0.acceptPatch = allowed.acceptPatch
      $0.acceptPost = allowed.acceptPost
    }
  }
}

extension MediaType {
  /// Throws if the body has a content coding (RFC 9110 §8.4), because none is supported.
  ///
  /// - Throws: `unsupported-media-type`.
  static func rejectContentEncoding(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    guard let coding = head.first(.contentEncoding), !coding.isEmpty,
      !bytes.matches(coding, ignoringCase: "identity")
    else { return }
    throw Problem(.unsupportedMediaType, "Content-Encoding is not supported. Send the body uncompressed.")
      .with { $0.acceptEncoding = "identity" }
  }
}

/// The media type that the client prefers for the response: the field `Accept` (RFC 9110 §12.5.1).
package enum ResponseFormat: Sendable {
  /// `application/json`
  case json
  /// `text/event-stream`
  case events

  /// Returns whether the client accepts events at all, for resources that have no other media type.
  static func acceptsEvents(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
    var isPresent = false
    var accepts = false
    head.forEach(.accept) { range in
      isPresent = true
      for item in bytes.text(range).split(separator: ",") {
        let type = item.split(separator: ";").first.map { $0.trimmed.lowercased() } ?? ""
        if ["*/*", "text/*", "text/event-stream"].contains(type) { accepts = true }
      }
    }
    return accepts || !isPresent
  }

  /// Creates the preferred format, or nil if the client accepts neither.
  init?(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
    guard head.contains(.accept) else {
      self = .json
      return
    }
    // Fast path without parsing, for the values that nearly all clients send.
    var lines = 0
    var isPlain = true
    head.forEach(.accept) { range in
      lines += 1
      isPlain = bytes.matches(range, ignoringCase: "*/*") || bytes.matches(range, ignoringCase: "application/json")
    }
    guard lines > 1 || !isPlain else {
      self = .json
      return
    }
    var json = 0
    var events = 0
    var specificity = (json: -1, events: -1)
    head.forEach(.accept) { range in
      for item in bytes.text(range).split(separator: ",") {
        var parts = item.split(separator: ";").map { $0.trimmed.lowercased() }[...]
        guard let type = parts.popFirst() else { continue }
        let quality = parts.first { $0.hasPrefix("q=") }.map { Self.quality($0.dropFirst(2)) } ?? 1000
        Self.apply(type, quality, ["*/*", "application/*", "application/json"], &json, &specificity.json)
        Self.apply(type, quality, ["*/*", "text/*", "text/event-stream"], &events, &specificity.events)
      }
    }
    // Events are sent only if `Accept` names their type: `*/*` means JSON.
    if specificity.events == 2, events > 0, events >= json || specificity.json < 2 {
      self = .events
    } else if json > 0 {
      self = .json
    } else {
      return nil
    }
  }

  /// Applies one media range to the quality of a type. The most specific matching range counts.
  ///
  /// - Parameter ranges: The ranges that match the type, the most specific last.
  private static func apply(
    _ type: String, _ quality: Int, _ ranges: [String], _ best: inout Int, _ specificity: inout Int
  ) {
    guard let rank = ranges.firstIndex(of: type), rank >= specificity else { return }
    best = rank == specificity ? max(best, quality) : quality
    specificity = rank
  }

  /// Returns a weight in thousandths (RFC 9110 §12.4.2), or 0 if it is malformed.
  private static func quality(_ text: Substring) -> Int {
    let digits = text.utf8
    guard let first = digits.first, first == 0x30 || first == 0x31, digits.count <= 5 else { return 0 }
    guard digits.count > 1 else { return first == 0x31 ? 1000 : 0 }
    guard digits.dropFirst().first == UInt8(ascii: ".") else { return 0 }
    var value = Int(first - 0x30)
    var count = 0
    for digit in digits.dropFirst(2) {
      guard digit >= 0x30, digit <= 0x39 else { return 0 }
      value = value * 10 + Int(digit - 0x30)
      count += 1
    }
    for _ in count..<3 { value *= 10 }
    return min(value, 1000)
  }
}

extension StringProtocol {
  /// The text without spaces and tabs at both ends.
  var trimmed: String {
    var text = Substring(self)
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
