package import BinderyJSON

/// A complete response, independent of the client that received it.
package struct Reply: Sendable, Equatable, CustomStringConvertible {
  package let status: Int
  package let fields: [(name: String, value: String)]
  package let body: [UInt8]

  /// Creates a response.
  package init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  package static func == (a: Reply, b: Reply) -> Bool {
    a.status == b.status && a.body == b.body && a.fields.elementsEqual(b.fields, by: ==)
  }

  /// Returns the value of the first field with a name, ignoring case.
  package subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The body as text, without the newline at the end of JSON.
  package var text: String {
    let isJSON = self["Content-Type"].map { $0 == "application/json" || $0.hasSuffix("+json") } ?? false
    let line = isJSON && body.last == UInt8(ascii: "\n") ? body.dropLast() : body[...]
    return String(decoding: line, as: UTF8.self)
  }

  /// The body as JSON; nil if it is not valid JSON.
  package var json: JSONNode? { (try? JSONDocument(parsing: body))?.root }

  /// Returns a string member of the JSON body; nil if there is none or it is not a string.
  package func string(_ name: String) -> String? { json?[name]?.string }

  /// Returns the JSON text of a member of the JSON body.
  package func member(_ name: String) -> String? { json?[name].map { String(decoding: $0.text, as: UTF8.self) } }

  /// The slug of the problem type of a problem document (RFC 9457); nil if the body is not one.
  package var problem: String? {
    guard self["Content-Type"] == "application/problem+json", let type = string("type") else { return nil }
    return type.split(separator: "/").last.map(String.init)
  }

  /// Status code and problem slug, for example `409 inactive-case` or `200`.
  package var outcome: String { problem.map { "\(status) \($0)" } ?? "\(status)" }

  /// The value of `ETag`.
  package var etag: String? { self["ETag"] }
  /// The value of `State-Revision`.
  package var revision: Int? { self["State-Revision"].flatMap { Int($0) } }
  /// The value of `State-Changed`; nil if it is missing.
  package var changed: Bool? {
    switch self["State-Changed"] {
    case "?1": true
    case "?0": false
    default: nil
    }
  }

  package var description: String {
    "\(status) \(fields.map { "[\($0.name): \($0.value)]" }.joined(separator: " ")) \(text)"
  }
}
