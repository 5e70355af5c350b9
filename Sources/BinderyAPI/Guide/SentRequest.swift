import BinderyHTTP

/// A request as far as hints about its problems need it.
struct SentRequest {
  /// The method. It is GET for HEAD, because the fields of both responses are the same (RFC 9110 §9.3.2), and
  /// `Content-Length` counts the hints.
  let method: Method
  /// The path after the base path, as it was sent.
  let path: [UInt8]
  let query: String
  /// The fields that a corrected request has, too.
  let fields: [(name: FieldName, value: String)]
  let isJSONPatch: Bool
  /// Whether there is no body.
  let isEmpty: Bool
  /// The body as text; nil if there is none, or if it is longer than a command may be.
  let body: String?
  /// The server in commands; nil if no command may be suggested.
  let server: CurlCommand.Server?

  init(
    _ head: borrowing RequestHead, _ path: Range<Int>, _ bytes: Span<UInt8>, _ body: RequestBody,
    _ server: CurlCommand.Server?
  ) {
    method = head.method == .head ? .get : head.method
    self.path = bytes.slice(path)
    query = head.query.map { "?" + bytes.text($0) } ?? ""
    isJSONPatch = if case .jsonPatch? = MediaType.ofBody(head, bytes) { true } else { false }
    var fields: [(name: FieldName, value: String)] = []
    for name in [FieldName.accept, .ifMatch, .ifNoneMatch, .prefer] {
      head.forEach(name) { fields.append((name, bytes.text($0))) }
    }
    self.fields = fields.filter { $0.name != .accept || $0.value.utf8.starts(with: "text/event-stream".utf8) }
    isEmpty = body == .none
    self.body =
      if case .complete(let range) = body, range.count <= CurlCommand.maximumBytes {
        String(validating: bytes.slice(range), as: UTF8.self)
      } else {
        nil
      }
    self.server = server
  }
}
