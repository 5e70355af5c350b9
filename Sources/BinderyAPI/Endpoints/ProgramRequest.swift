package import BinderyHTTP

/// A request for an endpoint or middleware of the program, copied from the bytes that it was parsed from.
package struct ProgramRequest: Sendable {
  package let method: Method
  /// The percent-encoded path, without the base path and the query.
  package let path: String
  /// The percent-encoded query without its question mark; nil if there is none.
  package let query: String?
  /// The header fields in the order in which they were sent.
  package let fields: [(name: String, value: String)]
  /// The decoded segments of the path that the endpoint has placeholders for.
  package internal(set) var parameters: [String: String] = [:]
  package internal(set) var body: [UInt8] = []
  /// The name under which the history shows commits of the client.
  package let author: String

  /// - Parameter path: The range of the path after the base path.
  init(_ head: borrowing RequestHead, _ path: Range<Int>, _ bytes: Span<UInt8>, author: String) {
    self.author = author
    method = head.method
    self.path = bytes.text(path)
    query = head.query.map { bytes.text($0) }
    var fields: [(name: String, value: String)] = []
    for index in 0..<head.fieldCount {
      let field = head.field(index)
      fields.append((bytes.text(field.nameRange), bytes.text(field.value)))
    }
    self.fields = fields
  }
}

/// The decision of a middleware about a request.
package enum ProgramDecision: Sendable {
  /// Continue with the next middleware, and add header fields to the response.
  case next(adding: [Response.CustomField])
  case respond(Result<Response, Problem>)
}

/// A middleware of the program. Called on the thread of an event loop, after authentication, for every request.
package typealias ProgramMiddleware = @Sendable (ProgramRequest) -> ProgramDecision
