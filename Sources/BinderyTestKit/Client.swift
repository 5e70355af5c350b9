/// An HTTP client for tests: in memory, over a raw socket, or through libcurl.
package protocol Client: AnyObject {
  /// The scheme and authority of the server.
  var origin: String { get }

  /// Sends a request and waits for its final response.
  func send(_ request: Request) throws -> Reply
}

extension Client {
  /// Header fields as name–value pairs.
  package typealias Fields = KeyValuePairs<String, String>

  /// Sends a request with a text as body.
  package func send(
    _ method: String, _ target: String, _ body: String? = nil, _ fields: Fields = [:]
  ) throws -> Reply {
    let fields = fields.map { (name: $0.key, value: $0.value) }
    return try send(Request(method, target, fields: fields, body: body.map { Array($0.utf8) }))
  }

  /// Sends a GET request.
  package func get(_ target: String, _ fields: Fields = [:]) throws -> Reply { try send("GET", target, nil, fields) }

  /// Sends a HEAD request.
  package func head(_ target: String, _ fields: Fields = [:]) throws -> Reply { try send("HEAD", target, nil, fields) }

  /// Sends an OPTIONS request.
  package func options(_ target: String) throws -> Reply { try send("OPTIONS", target) }

  /// Sends a DELETE request.
  package func delete(_ target: String, _ fields: Fields = [:]) throws -> Reply {
    try send("DELETE", target, nil, fields)
  }

  /// Sends a PATCH request without a `Content-Type`, which the API treats as a JSON value to merge.
  package func patch(_ target: String, _ body: String, _ fields: Fields = [:]) throws -> Reply {
    try send("PATCH", target, body, fields)
  }

  /// Sends a PUT request without a `Content-Type`.
  package func put(_ target: String, _ body: String, _ fields: Fields = [:]) throws -> Reply {
    try send("PUT", target, body, fields)
  }

  /// Sends a POST request with a JSON body.
  package func post(_ target: String, _ body: String) throws -> Reply {
    try send("POST", target, body, ["Content-Type": "application/json"])
  }

  /// Sends a PATCH request with a JSON Patch (RFC 6902).
  package func jsonPatch(_ target: String, _ body: String) throws -> Reply {
    try send("PATCH", target, body, ["Content-Type": "application/json-patch+json"])
  }

  /// Returns the body of a GET request: the canonical JSON at a path.
  package func text(_ target: String) throws -> String { try get(target).text }
}
