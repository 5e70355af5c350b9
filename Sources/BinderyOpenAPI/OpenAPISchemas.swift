import BinderyAPI
import BinderyCore

/// The schemas of the types, each described once for each use that makes a difference.
struct OpenAPISchemas {
  private struct Schema {
    let name: String
    let node: OpenAPINode
  }

  private let examples: OpenAPIExamples
  /// What has been described of each type, by its signature.
  private var known: [String: [Schema]] = [:]
  private var components: [OpenAPINode.Entry] = []

  init(_ examples: OpenAPIExamples) { self.examples = examples }

  /// `components/schemas`, sorted by name.
  var all: OpenAPINode { .object(components.sorted { $0.key < $1.key }) }

  mutating func add(_ name: String, _ node: OpenAPINode) {
    components.append(.init(key: name, value: node))
  }

  /// The schema of a type for a use: a reference, or what is short enough to stand where it is needed.
  ///
  /// - Parameter hint: the name of the schema, if the type's own would not tell it from others.
  mutating func schema(_ type: TypeInfo, _ use: OpenAPIUse, hint: String) -> OpenAPINode {
    switch type.kind {
    case .scalar(let scalar):
      if type.rules.isEmpty, scalar.format == nil { return ["type": .text(scalar.type)] }
      let name = type.rules.isEmpty ? type.name : hint
      return named(name, type, .read, OpenAPISchemas.scalar(scalar, type.rules))
    case .product(let product): return self.product(product, type, use, name: type.name)
    case .sum(let cases): return sum(cases, type, use)
    case .optional(let wrapped): return optional(wrapped, type, use, hint: hint)
    case .elements(let element, _): return list(element, type, use, hint: hint).adding(["uniqueItems": true])
    case .array(let element): return list(element, type, use, hint: hint)
    case .dictionary(let entry, let key):
      return OpenAPISchemas.ruled(
        [
          "type": "object", "propertyNames": schema(key.type, .read, hint: hint + "Key"),
          "additionalProperties": schema(entry, use.ofEntry, hint: hint + "Entry"),
        ], type.rules, counted: "Properties")
    }
  }

  private mutating func list(_ element: TypeInfo, _ type: TypeInfo, _ use: OpenAPIUse, hint: String) -> OpenAPINode {
    OpenAPISchemas.ruled(
      ["type": "array", "items": schema(element, use.ofElement, hint: hint + "Item")], type.rules, counted: "Items")
  }

  mutating func product(_ product: ProductInfo, _ type: TypeInfo, _ use: OpenAPIUse, name: String) -> OpenAPINode {
    if use == .put {
      // What is there is replaced, what is not there is made.
      return OpenAPISchemas.union([
        self.product(product, type, .replacement, name: name), self.product(product, type, .new, name: name),
      ])
    }
    var properties: [OpenAPINode.Entry] = []
    for member in product.members {
      guard let memberUse = use.ofMember(member.role) else { continue }
      var node = schema(member.type, memberUse, hint: name + member.name.capitalizedFirst)
      if use.isReadOnly(member) { node = node.adding(["readOnly": true]) }
      properties.append(.init(key: member.name, value: node))
    }
    let required = product.members.filter { $0.role != .hidden && use.needs($0) }.map(\.name)
    let node: OpenAPINode = [
      "type": "object", "properties": .object(properties),
      "required": required.isEmpty ? nil : .texts(required), "additionalProperties": false,
    ]
    return named(name, type, use, OpenAPISchemas.ruled(node, type.rules, counted: "Properties"))
  }

  private mutating func sum(_ cases: [CaseInfo], _ type: TypeInfo, _ use: OpenAPIUse) -> OpenAPINode {
    var variants: [OpenAPINode] = []
    for one in cases {
      guard let payload = one.payload else {
        variants.append(["type": "string", "const": .text(one.name)])
        continue
      }
      let inside = self.payload(one, payload, of: type.name, use)
      variants.append([
        "type": "object", "properties": .object([.init(key: one.name, value: inside)]),
        "required": .texts([one.name]), "additionalProperties": false,
      ])
    }
    // Nothing fits an enum without cases.
    let node: OpenAPINode = variants.isEmpty ? ["not": [:]] : ["oneOf": .list(variants)]
    return named(type.name, type, use, OpenAPISchemas.ruled(node, type.rules, counted: ""))
  }

  /// The schema of a payload, whose labels make an object that has no type of its own.
  private mutating func payload(
    _ one: CaseInfo, _ payload: TypeInfo, of type: String, _ use: OpenAPIUse
  ) -> OpenAPINode {
    let name = type + one.name.capitalizedFirst
    guard one.isLabelled, case .product(let labels) = payload.kind else { return schema(payload, use, hint: name) }
    return product(labels, payload, use, name: name)
  }

  private mutating func optional(
    _ wrapped: TypeInfo, _ type: TypeInfo, _ use: OpenAPIUse, hint: String
  ) -> OpenAPINode {
    if case .optional = wrapped.kind {
      let some: OpenAPINode = [
        "type": "object", "properties": ["some": schema(wrapped, use, hint: hint)],
        "required": ["some"], "additionalProperties": false,
      ]
      return OpenAPISchemas.union([some, ["type": "null"]])
    }
    // What can only be edited is never made.
    let inside = type.isFixed && use == .put ? .replacement : use
    let node = schema(wrapped, inside, hint: hint)
    return OpenAPISchemas.union((node["anyOf"]?.elements ?? [node]) + [["type": "null"]])
  }

  private static func union(_ variants: [OpenAPINode]) -> OpenAPINode {
    let distinct = variants.enumerated().filter { !variants[..<$0.offset].contains($0.element) }.map(\.element)
    return distinct.count == 1 ? distinct[0] : ["anyOf": .list(distinct)]
  }

  /// A reference to a schema: to the one that says the same already, or to a new one.
  private mutating func named(
    _ name: String, _ type: TypeInfo, _ use: OpenAPIUse, _ node: OpenAPINode
  ) -> OpenAPINode {
    let signature = type.signature
    if let same = known[signature]?.first(where: { $0.node == node }) { return .reference("schemas", same.name) }
    let base = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    var unique = use.name(of: base)
    var number = 2
    while components.contains(where: { $0.key == unique }) {
      unique = "\(use.name(of: base))\(number)"
      number += 1
    }
    known[signature, default: []].append(Schema(name: unique, node: node))
    let example = use.part(of: examples.value(of: type), type)
    let description: OpenAPINode = ["description": use.description(of: base).map(OpenAPINode.text)]
    add(unique, description.adding(node).adding(["examples": [example]]))
    return .reference("schemas", unique)
  }
}
