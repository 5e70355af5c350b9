package import BinderyJSON

/// One reply, however it came.
package struct Reply: Sendable, CustomStringConvertible {
  package let status: Int
  package let fields: [(name: String, value: String)]
  package let body: [UInt8]

  package init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The value of the first field with that name.
  package subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The body, where it is JSON.
  package var json: JSONNode? { (try? JSONDocument(parsing: body))?.root }

  /// The member of the body at a name, where that is a string.
  package func string(_ name: String) -> String? { json?[name]?.string }

  /// The member of the body at a name, as it is written.
  package func member(_ name: String) -> String? { json?[name].map { String(decoding: $0.text, as: UTF8.self) } }

  /// The stable name of the problem that the body reports.
  package var problem: String? {
    guard self["Content-Type"] == "application/problem+json", let type = string("type") else { return nil }
    return type.split(separator: "/").last.map(String.init)
  }

  /// Status and problem at a glance: `409 inactive-case`, `200`.
  package var outcome: String { problem.map { "\(status) \($0)" } ?? "\(status)" }

  package var etag: String? { self["ETag"] }
  package var revision: Int? { self["State-Revision"].flatMap { Int($0) } }
  /// What `State-Changed` says; nil where it is missing.
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
