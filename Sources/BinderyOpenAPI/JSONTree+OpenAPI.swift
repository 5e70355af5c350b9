package import BinderyJSON

extension JSONTree {
  /// Creates the tree of a JSON text, or null if the text is not valid JSON.
  package init(json bytes: [UInt8]) {
    self = (try? JSONDocument(parsing: bytes)).map { JSONTree($0.root) } ?? .null
  }

  /// Returns the object with the members of another object appended.
  func adding(_ other: JSONTree) -> JSONTree { .object(members + other.members) }

  /// All references in the value, such as `#/components/schemas/Dish`.
  package var references: Set<String> {
    var references = Set(children.flatMap(\.references))
    if let reference = self["$ref"]?.string { references.insert(reference) }
    return references
  }

  /// Returns a reference to a component.
  static func reference(_ kind: String, _ name: String) -> JSONTree {
    ["$ref": .string("#/components/\(kind)/\(name)")]
  }

  /// Returns an array of strings.
  static func strings(_ texts: some Sequence<String>) -> JSONTree { .array(texts.map(JSONTree.string)) }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int) { self = .number(String(value)) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONTree: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  package init(arrayLiteral elements: JSONTree...) { self = .array(elements) }

  /// Creates an object without the members whose value is nil.
  package init(dictionaryLiteral elements: (String, JSONTree?)...) {
    self = .object(elements.compactMap { key, value in value.map { Member(key: key, value: $0) } })
  }
}
