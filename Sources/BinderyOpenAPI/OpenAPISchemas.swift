import BinderyAPI
import BinderyCore

/// The schemas of all types: one component for each variant of a type that differs.
struct OpenAPISchemas {
  private struct Schema {
    let name: String
    let node: OpenAPINode
  }

  private let examples: OpenAPIExamples
  /// The components of each type, by type signature.
  private var componentsBySignature: [String: [Schema]] = [:]
  private var components: [OpenAPINode.Entry] = []

  init(_ examples: OpenAPIExamples) { self.examples = examples }

  /// `components/schemas`, sorted by name.
  var all: OpenAPINode { .object(components.sorted { $0.key < $1.key }) }

  /// Adds a schema component.
  mutating func add(_ name: String, _ node: OpenAPINode) {
    components.append(.init(key: name, value: node))
  }

  /// Returns the schema of a type: a reference to a component, or an inline schema if it is short.
  ///
  /// - Parameters:
  ///   - variant: The purpose of the value, which decides which members are required.
  ///   - hint: The component name for types without a distinctive name of their own.
  mutating func schema(_ type: TypeInfo, _ variant: OpenAPISchemaVariant, hint: String) -> OpenAPINode {
    switch type.kind {
    case .scalar(let scalar):
      if type.rules.isEmpty, scalar.isPlain { return ["type": scalar.type.map(OpenAPINode.text)] }
      let name = type.rules.isEmpty ? type.name : hint
      return named(name, type, .read, OpenAPISchemas.scalar(scalar, type.rules))
    case .product(let product): return self.product(product, type, variant, name: type.name)
    case .sum(let cases): return sum(cases, type, variant)
    case .optional(let wrapped): return optional(wrapped, type, variant, hint: hint)
    case .elements(let element, _): return list(element, type, variant, hint: hint).adding(["uniqueItems": true])
    case .array(let element): return list(element, type, variant, hint: hint)
    case .set(let element): return list(element, type, variant, hint: hint).adding(["uniqueItems": true])
    case .dictionary(let entry, let key):
      return OpenAPISchemas.ruled(
        [
          "type": "object", "propertyNames": schema(key.type, .read, hint: hint + "Key"),
          "additionalProperties": schema(entry, variant.entryVariant, hint: hint + "Entry"),
        ], type.rules, counted: "Properties")
    }
  }

  private mutating func list(
    _ element: TypeInfo, _ type: TypeInfo, _ variant: OpenAPISchemaVariant, hint: String
  ) -> OpenAPINode {
    let items = schema(element, variant.elementVariant, hint: hint + "Item")
    return OpenAPISchemas.ruled(["type": "array", "items": items], type.rules, counted: "Items")
  }

  /// Returns the schema of a struct, or of the labels of an enum case.
  mutating func product(
    _ product: ProductInfo, _ type: TypeInfo, _ variant: OpenAPISchemaVariant, name: String
  ) -> OpenAPINode {
    if variant == .put {
      // A PUT replaces an existing value or creates a missing one.
      return OpenAPISchemas.union([
        self.product(product, type, .replacement, name: name), self.product(product, type, .new, name: name),
      ])
    }
    var properties: [OpenAPINode.Entry] = []
    for member in product.members {
      guard let memberVariant = variant.memberVariant(member.role) else { continue }
      var node = schema(member.type, memberVariant, hint: name + member.name.capitalizedFirst)
      if variant.isReadOnly(member) { node = node.adding(["readOnly": true]) }
      node = node.described(by: member.notes)
      properties.append(.init(key: member.name, value: node))
    }
    let required = product.members.filter { $0.role != .hidden && variant.requires($0) }.map(\.name)
    let node: OpenAPINode = [
      "type": "object", "properties": .object(properties),
      "required": required.isEmpty ? nil : .texts(required), "additionalProperties": false,
    ]
    return named(name, type, variant, OpenAPISchemas.ruled(node, type.rules, counted: "Properties"))
  }

  private mutating func sum(_ cases: [CaseInfo], _ type: TypeInfo, _ variant: OpenAPISchemaVariant) -> OpenAPINode {
    var alternatives: [OpenAPINode] = []
    for enumCase in cases {
      guard let payload = enumCase.payload else {
        alternatives.append(["type": "string", "const": .text(enumCase.name)])
        continue
      }
      let payloadSchema = self.payload(enumCase, payload, of: type.name, variant)
      alternatives.append([
        "type": "object", "properties": .object([.init(key: enumCase.name, value: payloadSchema)]),
        "required": .texts([enumCase.name]), "additionalProperties": false,
      ])
    }
    // No value is valid for an enum without cases.
    let node: OpenAPINode = alternatives.isEmpty ? ["not": [:]] : ["oneOf": .list(alternatives)]
    return named(type.name, type, variant, OpenAPISchemas.ruled(node, type.rules, counted: ""))
  }

  /// Returns the schema of the payload of an enum case. Labels become an object that has no type of its own.
  private mutating func payload(
    _ enumCase: CaseInfo, _ payload: TypeInfo, of type: String, _ variant: OpenAPISchemaVariant
  ) -> OpenAPINode {
    let name = type + enumCase.name.capitalizedFirst
    guard enumCase.isLabelled, case .product(let labels) = payload.kind else {
      return schema(payload, variant, hint: name)
    }
    return product(labels, payload, variant, name: name)
  }

  private mutating func optional(
    _ wrapped: TypeInfo, _ type: TypeInfo, _ variant: OpenAPISchemaVariant, hint: String
  ) -> OpenAPINode {
    if case .optional = wrapped.kind {
      let some: OpenAPINode = [
        "type": "object", "properties": ["some": schema(wrapped, variant, hint: hint)],
        "required": ["some"], "additionalProperties": false,
      ]
      return OpenAPISchemas.union([some, ["type": "null"]])
    }
    // An optional that can only be edited is never created by a PUT.
    let wrappedVariant = type.isFixed && variant == .put ? .replacement : variant
    let node = schema(wrapped, wrappedVariant, hint: hint)
    return OpenAPISchemas.union((node["anyOf"]?.elements ?? [node]) + [["type": "null"]])
  }

  /// Returns `anyOf` the distinct schemas, or the schema itself if all are equal.
  private static func union(_ alternatives: [OpenAPINode]) -> OpenAPINode {
    let distinct = alternatives.enumerated().filter { !alternatives[..<$0.offset].contains($0.element) }.map(\.element)
    return distinct.count == 1 ? distinct[0] : ["anyOf": .list(distinct)]
  }

  /// Returns a reference to an existing component with the same schema, or to a new component.
  private mutating func named(
    _ name: String, _ type: TypeInfo, _ variant: OpenAPISchemaVariant, _ node: OpenAPINode
  ) -> OpenAPINode {
    let signature = type.signature
    if let existing = componentsBySignature[signature]?.first(where: { $0.node == node }) {
      return .reference("schemas", existing.name)
    }
    let base = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    var unique = variant.name(of: base)
    var number = 2
    while components.contains(where: { $0.key == unique }) {
      unique = "\(variant.name(of: base))\(number)"
      number += 1
    }
    componentsBySignature[signature, default: []].append(Schema(name: unique, node: node))
    let example = variant.part(of: examples.value(of: type), type)
    let description: OpenAPINode = ["description": variant.description(of: base).map(OpenAPINode.text)]
    add(unique, description.adding(node).described(by: type.notes).adding(["examples": [example]]))
    return .reference("schemas", unique)
  }
}

extension OpenAPISchemas {
  /// Returns the schema of a scalar with its format and rules.
  static func scalar(_ scalar: Scalar, _ rules: [Rule]) -> OpenAPINode {
    var rules = rules
    if scalar.format == "int64", scalar.values.isEmpty {
      // `format` is only an annotation in JSON Schema, so the range of Int64 needs explicit limits.
      if !rules.contains(where: { if case .minimum = $0 { true } else { false } }) {
        rules.append(.minimum(Bound(Int.min)))
      }
      if !rules.contains(where: { if case .maximum = $0 { true } else { false } }) {
        rules.append(.maximum(Bound(Int.max)))
      }
    }
    if let pattern = scalar.pattern { rules.insert(.pattern(pattern), at: 0) }
    if scalar.contentEncoding == "base64" { rules = rules.compactMap(\.inBase64) }
    let values = scalar.values.map { OpenAPINode(json: Array($0.utf8)) }
    return ruled(
      [
        "type": scalar.type.map(OpenAPINode.text), "format": scalar.format.map(OpenAPINode.text),
        "contentEncoding": scalar.contentEncoding.map(OpenAPINode.text), "enum": values.isEmpty ? nil : .list(values),
      ], rules, counted: "Length")
  }

  /// Returns the schema with the keywords of the rules.
  ///
  /// A schema must not forbid a value that the service accepts. JSON Schema counts code points, while the constraints
  /// count characters and bytes. A character can have any number of code points, so a maximum of characters becomes
  /// part of the description. A code point has at least one byte, so a maximum of bytes is also a maximum of code
  /// points.
  ///
  /// - Parameter counted: The suffix of the keywords that limit a count: `Length`, `Items` or `Properties`.
  static func ruled(_ node: OpenAPINode, _ rules: [Rule], counted: String) -> OpenAPINode {
    guard !rules.isEmpty else { return node }
    var limits: [OpenAPINode.Entry] = []
    var patterns: [String] = []
    var sentences: [String] = []
    var codePoints = Int.max
    for rule in rules {
      switch rule {
      case .minimum(let bound):
        limits.append(.init(key: bound.isExclusive ? "exclusiveMinimum" : "minimum", value: .number(bound.text)))
      case .maximum(let bound):
        limits.append(.init(key: bound.isExclusive ? "exclusiveMaximum" : "maximum", value: .number(bound.text)))
      case .minimumLength(let minimum), .minimumCodePoints(let minimum), .minimumCount(let minimum):
        limits.append(.init(key: "min" + counted, value: .number(String(minimum))))
      case .maximumLength(let maximum):
        sentences.append("at most \(maximum) characters (extended grapheme clusters)")
      case .maximumCount(let maximum): limits.append(.init(key: "max" + counted, value: .number(String(maximum))))
      case .maximumCodePoints(let maximum): codePoints = min(codePoints, maximum)
      case .maximumBytes(let maximum):
        codePoints = min(codePoints, maximum)
        sentences.append("at most \(maximum) bytes of UTF-8")
      case .pattern(let pattern): patterns.append(pattern)
      case .described(let text): sentences.append(text)
      }
    }
    if codePoints < .max { limits.append(.init(key: "maxLength", value: .number(String(codePoints)))) }
    let description = sentences.joined(separator: ", ").capitalizedFirst
    let pattern: OpenAPINode =
      switch patterns.count {
      case 0: [:]
      case 1: ["pattern": .text(patterns[0])]
      default: ["allOf": .list(patterns.map { ["pattern": .text($0)] })]
      }
    let text: OpenAPINode = ["description": description.isEmpty ? nil : .text(description + ".")]
    return text.adding(node).adding(.object(limits)).adding(pattern)
  }
}

extension OpenAPINode {
  /// Returns the schema with a title and a description, before a description that it already has.
  fileprivate func described(by notes: Notes) -> OpenAPINode {
    if notes == Notes() { return self }
    let texts = [notes.description, self["description"]?.text].compactMap(\.self).joined(separator: " ")
    let opening: OpenAPINode = [
      "title": notes.title.map(OpenAPINode.text), "description": texts.isEmpty ? nil : .text(texts),
    ]
    return opening.adding(.object(entries.filter { $0.key != "title" && $0.key != "description" }))
  }
}

extension Scalar {
  /// Whether the JSON Schema type says everything about the values.
  fileprivate var isPlain: Bool {
    format == nil && pattern == nil && contentEncoding == nil && values.isEmpty && !isCustom
  }
}

extension Rule {
  /// The rule for the length of the text, if this rule limits the number of bytes that the text encodes in base64; nil
  /// if the text would be too long to count.
  fileprivate var inBase64: Rule? {
    /// Returns the length of the text for a number of bytes: four characters for each three bytes (RFC 4648 §4).
    func length(_ count: Int) -> Int? {
      let (length, overflows) = (count / 3 + (count % 3 == 0 ? 0 : 1)).multipliedReportingOverflow(by: 4)
      return overflows ? nil : length
    }
    switch self {
    case .minimumCount(let count): return length(count).map(Rule.minimumCount)
    case .maximumCount(let count): return length(count).map(Rule.maximumCount)
    default: return self
    }
  }
}
