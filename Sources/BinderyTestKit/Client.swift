/// Whoever asks: in memory, over a raw socket, or through libcurl.
package protocol Client: AnyObject {
  /// The scheme and authority that the requests go to.
  var origin: String { get }

  func send(_ request: Request) throws -> Reply
}

extension Client {
  package typealias Fields = KeyValuePairs<String, String>

  package func send(
    _ method: String, _ target: String, _ body: String? = nil, _ fields: Fields = [:]
  ) throws -> Reply {
    let fields = fields.map { (name: $0.key, value: $0.value) }
    return try send(Request(method, target, fields: fields, body: body.map { Array($0.utf8) }))
  }

  package func get(_ target: String, _ fields: Fields = [:]) throws -> Reply { try send("GET", target, nil, fields) }

  package func head(_ target: String, _ fields: Fields = [:]) throws -> Reply { try send("HEAD", target, nil, fields) }

  package func options(_ target: String) throws -> Reply { try send("OPTIONS", target) }

  package func delete(_ target: String, _ fields: Fields = [:]) throws -> Reply {
    try send("DELETE", target, nil, fields)
  }

  /// Without a `Content-Type`, which PATCH and PUT allow.
  package func patch(_ target: String, _ body: String, _ fields: Fields = [:]) throws -> Reply {
    try send("PATCH", target, body, fields)
  }

  package func put(_ target: String, _ body: String, _ fields: Fields = [:]) throws -> Reply {
    try send("PUT", target, body, fields)
  }

  package func post(_ target: String, _ body: String) throws -> Reply {
    try send("POST", target, body, ["Content-Type": "application/json"])
  }

  /// A JSON Patch (RFC 6902).
  package func jsonPatch(_ target: String, _ body: String) throws -> Reply {
    try send("PATCH", target, body, ["Content-Type": "application/json-patch+json"])
  }

  /// The canonical JSON at a place.
  package func text(_ target: String) throws -> String { try get(target).text }
}
