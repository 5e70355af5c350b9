import BinderyAPI
public import BinderyCore
import BinderyHTTP
import BinderyJSON

/// A request method (RFC 9110 §9).
public enum EndpointMethod: String, Sendable {
  /// `GET`, which also answers `HEAD`.
  case get = "GET"
  /// `POST`
  case post = "POST"
  /// `PUT`
  case put = "PUT"
  /// `PATCH`
  case patch = "PATCH"
  /// `DELETE`
  case delete = "DELETE"
}

/// The clients that may send a request.
public enum EndpointAccess: Sendable {
  /// The same as for the state: with tokens, `GET` needs any token, and the other methods one that may write.
  case token
  /// All clients.
  case everyone
}

/// A request for an ``Endpoint``. A ``Middleware`` receives it without ``parameters`` and ``body``.
public struct EndpointRequest: Sendable {
  /// The method, such as `GET`.
  public let method: String
  /// The percent-encoded path, without the base path and the query.
  public let path: String
  /// The percent-decoded segments of the path; none for the root. As in a JSON Pointer (RFC 6901), `~1` is decoded to
  /// `/` and `~0` to `~`, unless there is another `~`.
  public var segments: [String] {
    let path = Array(path.utf8)[...]
    return (try? RequestTarget(path: path))?.segments ?? (try? RequestTarget(path: path, isPointer: false))?.segments
      ?? []
  }
  /// The percent-encoded query without its question mark; nil if there is none.
  public let query: String?
  /// The segments for the placeholders of the path, percent-decoded.
  public let parameters: [String: String]
  /// The header fields in the order in which they were sent.
  public let fields: [(name: String, value: String)]
  /// The body, of at most 1 MiB.
  public let body: [UInt8]
  /// The name under which the history shows commits of this client: pass it on as `by`.
  public let author: String

  /// Creates a request, for tests of an endpoint or a middleware.
  public init(
    method: String = "GET", path: String, query: String? = nil, parameters: [String: String] = [:],
    fields: [(name: String, value: String)] = [], body: [UInt8] = [], author: String = "anonymous"
  ) {
    (self.method, self.path, self.query, self.parameters) = (method, path, query, parameters)
    (self.fields, self.body, self.author) = (fields, body, author)
  }

  /// Returns the value of the first header field with a name, whose case does not matter.
  public func field(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Returns the value whose JSON is the body.
  ///
  ///     let dish = try request.value(of: Dish.self)
  ///
  /// The rules are those for a new value in the state: a member with a default may be missing, an unknown one is an
  /// error, and the value must satisfy the constraints of its members.
  ///
  /// - Throws: An error for which the client gets a problem if the endpoint throws it, too: `malformed-json` (400), or
  ///   one that names the member, such as `invalid-value` (422).
  public func value<Value: Editable>(of type: Value.Type = Value.self) throws -> Value {
    let shape = Value.shape
    var decoding = Decoding(.creating)
    do {
      let value = try shape.decode(try JSONDocument(parsing: body).root, &decoding)
      try shape.check(value)
      return value
    } catch let error as JSONSyntaxError { throw Problem(error) }
  }
}

/// The response of an endpoint or a middleware.
public struct EndpointResponse: Sendable {
  /// The status code: a final one that is registered (RFC 9110 §16.2.1), but not 205, 305, 407, 426 and 510. Another
  /// one is an error of the endpoint.
  public var status: Int
  /// The media type of the body.
  public var mediaType: String
  /// The body. It is in memory until it is sent. One of more than 1 MiB is sent in chunks, without a `Content-Length`.
  public var body: [UInt8]
  /// More header fields. Bytes that a header field cannot contain are replaced.
  ///
  /// The server writes some fields itself, and leaves them out here: `Connection`, `Content-Length`, `Content-Type`,
  /// `Cross-Origin-Resource-Policy`, `Date`, `Keep-Alive`, `Proxy-Connection`, `State-History`, `TE`, `Trailer`,
  /// `Transfer-Encoding`, `Upgrade` and `X-Content-Type-Options`.
  public var fields: [(name: String, value: String)]

  /// Creates a response.
  public init(
    status: Int = 200, mediaType: String, body: [UInt8], fields: [(name: String, value: String)] = []
  ) {
    self.status = status
    self.mediaType = mediaType
    self.body = body
    self.fields = fields
  }

  /// Creates a response with plain text.
  public static func text(_ text: String, status: Int = 200) -> EndpointResponse {
    EndpointResponse(status: status, mediaType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }

  /// Creates a response with the JSON of a value, as the state shows it.
  public static func json(_ value: some Editable, status: Int = 200) -> EndpointResponse {
    json(encoded: Self.encoded(value), status: status)
  }

  private static func encoded<Value: Editable>(_ value: Value) -> [UInt8] { Value.shape.json(value) + [0x0A] }

  /// Creates a response with a problem document (RFC 9457).
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - type: The URI of the kind of problem.
  ///   - title: The kind of problem in a few words; by default the reason phrase of the status.
  ///   - detail: What is wrong with this request.
  public static func problem(
    status: Int, type: String = "about:blank", title: String? = nil, detail: String
  ) -> EndpointResponse {
    let reason = UInt16(exactly: status).flatMap { HTTPStatus(rawValue: $0)?.reason }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("type", type)
    writer.member("title", title ?? reason ?? "Error")
    writer.member("status", Int64(status))
    writer.member("detail", detail)
    writer.endObject()
    return EndpointResponse(status: status, mediaType: Problem.mediaType, body: writer.bytes + [0x0A])
  }

  /// Creates a response with JSON that is already encoded.
  public static func json(encoded json: [UInt8], status: Int = 200) -> EndpointResponse {
    EndpointResponse(status: status, mediaType: "application/json", body: json)
  }
}
