import BinderyAPI
import BinderyJSON

/// A node of the document: a JSON value whose objects preserve the order of their members.
package indirect enum OpenAPINode: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A number in its source spelling.
  case number(String)
  case text(String)
  case list([OpenAPINode])
  case object([Entry])

  /// A member of an object.
  package struct Entry: Sendable, Equatable {
    package let key: String
    package let value: OpenAPINode
  }

  /// The value of an object's member, or nil if there is none.
  package subscript(key: String) -> OpenAPINode? { entries.first { $0.key == key }?.value }

  /// The members of an object. Empty for all other nodes.
  package var entries: [Entry] {
    if case .object(let entries) = self { entries } else { [] }
  }

  /// The elements of a list. Empty for all other nodes.
  package var elements: [OpenAPINode] {
    if case .list(let elements) = self { elements } else { [] }
  }

  /// The text, or nil for all other nodes.
  package var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// Returns the object with the members of another object appended.
  func adding(_ other: OpenAPINode) -> OpenAPINode { .object(entries + other.entries) }

  /// All references in the node, such as `#/components/schemas/Dish`.
  package var references: Set<String> {
    var references = Set(elements.flatMap(\.references) + entries.flatMap(\.value.references))
    if let reference = self["$ref"]?.text { references.insert(reference) }
    return references
  }

  /// Returns a reference to a component.
  static func reference(_ kind: String, _ name: String) -> OpenAPINode {
    ["$ref": .text("#/components/\(kind)/\(name)")]
  }

  /// Returns a list of texts.
  static func texts(_ texts: some Sequence<String>) -> OpenAPINode { .list(texts.map(OpenAPINode.text)) }
}

extension OpenAPINode: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int) { self = .number(String(value)) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension OpenAPINode: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  package init(arrayLiteral elements: OpenAPINode...) { self = .list(elements) }

  /// Creates an object without the members whose value is nil.
  package init(dictionaryLiteral elements: (String, OpenAPINode?)...) {
    self = .object(elements.compactMap { key, value in value.map { Entry(key: key, value: $0) } })
  }
}

extension OpenAPINode {
  /// Creates the tree of a JSON text, or null if the text is not valid JSON.
  package init(json bytes: [UInt8]) {
    guard let document = try? JSONDocument(parsing: bytes) else {
      self = .null
      return
    }
    self.init(document.root)
  }

  private init(_ node: JSONNode) {
    switch node.kind {
    case .null: self = .null
    case .bool: self = .bool(node.bool ?? false)
    case .number: self = .number(String(decoding: node.text, as: UTF8.self))
    case .string: self = .text(node.string ?? "")
    case .array: self = .list(node.elements.map { OpenAPINode($0) })
    case .object: self = .object(node.members.map { Entry(key: $0.key.string ?? "", value: OpenAPINode($0.value)) })
    }
  }

  /// The tree as canonical JSON.
  package var json: [UInt8] {
    var writer = JSONWriter()
    write(into: &writer)
    return writer.bytes
  }

  private func write(into writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .number(let text): writer.raw(Array(text.utf8))
    case .text(let text): writer.string(text)
    case .list(let elements):
      writer.beginArray()
      for element in elements { element.write(into: &writer) }
      writer.endArray()
    case .object(let entries):
      writer.beginObject()
      for entry in entries {
        writer.key(entry.key)
        entry.value.write(into: &writer)
      }
      writer.endObject()
    }
  }
}
