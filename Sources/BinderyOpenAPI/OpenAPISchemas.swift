import BinderyAPI
import BinderyCore
import BinderyJSON

/// The schemas of all types: one component for each variant of a type that differs.
///
/// Only scalars without format and rules are written where they are used; everything else is a reference. A value that
/// can be null has a component of its own with `type: [object, 'null']`: `NullableDish` beside `Dish`.
/// swift-openapi-generator documents such a list of types as nullable, also behind a reference, but leaves a member out
/// whose schema is a reference or null in `anyOf` or `oneOf`; openapi-typescript and openapi-python-client read both.
/// In clients with nominal types, a nullable struct is therefore another class than the struct.
struct OpenAPISchemas {
  private let model: OpenAPIModel
  /// The references that were already returned, by the key of their component.
  private var references: [String: JSONTree] = [:]
  /// The components without descriptions and examples, by name.
  private var schemas: [String: JSONTree] = [:]
  /// The complete components, by name.
  private var components: [String: JSONTree] = [:]

  init(_ model: OpenAPIModel) { self.model = model }

  /// Adds a component that does not belong to the model.
  mutating func add(_ name: String, _ node: JSONTree) { components[name] = node }

  /// All components, sorted by name.
  var all: JSONTree {
    .object(components.sorted { $0.key < $1.key }.map(JSONTree.Member.init))
  }

  /// Returns the schema of a type: a reference to a component, or an inline schema of a plain scalar.
  ///
  /// - Parameters:
  ///   - variant: The purpose of the value, which decides which members are required.
  ///   - hint: The component name for types without a distinctive name of their own.
  mutating func schema(_ type: TypeInfo, _ variant: OpenAPISchemaVariant, hint: String) -> JSONTree {
    switch type.kind {
    case .scalar(let scalar):
      if type.rules.isEmpty, scalar.isPlain { return ["type": scalar.type.map(JSONTree.string)] }
      let name = type.rules.isEmpty ? model.names.name(of: type, hint: hint) : hint
      return component(name, type, .read, OpenAPIText.noun(type).asSentence) { _, _ in
        Self.scalar(scalar, type.rules)
      }
    case .product(let product):
      return self.product(product, type, variant, name: model.names.name(of: type, hint: hint))
    case .sum(let cases): return sum(cases, type, variant, name: model.names.name(of: type, hint: hint))
    case .optional(let wrapped): return optional(wrapped, type, variant, hint: hint)
    case .elements(let element, _): return list(element, type, variant, "List", isUnique: true, hint: hint)
    case .array(let element): return list(element, type, variant, "Array", isUnique: false, hint: hint)
    case .set(let element): return list(element, type, variant, "Set", isUnique: true, hint: hint)
    case .dictionary(let entry, let key): return dictionary(entry, key, type, variant, hint: hint)
    }
  }

  /// Returns the schema of a struct, or of the labels of an enum case.
  mutating func product(
    _ product: ProductInfo, _ type: TypeInfo, _ variant: OpenAPISchemaVariant, name: String
  ) -> JSONTree {
    component(name, type, variant) { schemas, variant in
      var properties: [JSONTree.Member] = []
      for (index, member) in product.members.enumerated() {
        guard let memberVariant = variant.memberVariant(of: member, in: product) else { continue }
        let hint = name + OpenAPINaming.capitalized(member.name)
        let isComputed = variant == .read && member.isComputed
        let origin = isComputed ? OpenAPIText.origin(of: index, in: product) : nil
        let notes = member.notes
        let description = [notes.description, origin].compactMap(\.self).joined(separator: " ")
        let node = schemas.schema(member.type, memberVariant, hint: hint).adding([
          "title": notes.title.map(JSONTree.string),
          "description": description.isEmpty ? nil : .string(description),
          "readOnly": variant.isReadOnly(member) ? true : nil,
        ])
        properties.append(.init(key: member.name, value: node))
      }
      let others: JSONTree = product.isOpen ? [:] : false
      let required = product.members.filter { $0.role != .hidden && variant.requires($0) }.map(\.name)
      let node: JSONTree = [
        "type": "object", "properties": .object(properties),
        "required": required.isEmpty ? nil : .strings(required), "additionalProperties": others,
      ]
      return Self.ruled(node, type.rules, counted: "Properties")
    }
  }

  private mutating func sum(
    _ cases: [CaseInfo], _ type: TypeInfo, _ variant: OpenAPISchemaVariant, name: String
  ) -> JSONTree {
    component(name, type, variant, variant == .read ? OpenAPIText.noun(type).asSentence : nil) { schemas, variant in
      let names = cases.filter { $0.payload == nil }.map(\.name)
      let plain: JSONTree = ["type": "string", "enum": .strings(names)]
      if names.count == cases.count, !cases.isEmpty { return plain }
      // The alternatives are components, because code generators number inline ones.
      var alternatives: [JSONTree] = []
      if !names.isEmpty {
        alternatives.append(schemas.component(name + "Case", type, .read, isType: false) { _, _ in plain })
      }
      for enumCase in cases {
        guard let payload = enumCase.payload else { continue }
        alternatives.append(schemas.alternative(enumCase, payload, name, variant))
      }
      // No value is valid for an enum without cases.
      let node: JSONTree = alternatives.isEmpty ? ["not": [:]] : ["oneOf": .array(alternatives)]
      return Self.ruled(node, type.rules, counted: "")
    }
  }

  /// Returns the schema of an enum value with a payload. Labels become an object that has no type of its own.
  private mutating func alternative(
    _ enumCase: CaseInfo, _ payload: TypeInfo, _ name: String, _ variant: OpenAPISchemaVariant
  ) -> JSONTree {
    let labels = OpenAPITypeNames.labels(of: enumCase, in: name)
    let alternative = OpenAPITypeNames.alternative(enumCase, of: name)
    return component(alternative, payload, variant, isType: false) { schemas, variant in
      let value: JSONTree =
        if enumCase.isLabelled, case .product(let product) = payload.kind {
          schemas.product(product, payload, variant, name: labels)
        } else {
          schemas.schema(payload, variant, hint: labels)
        }
      return [
        "type": "object", "properties": .object([.init(key: enumCase.name, value: value)]),
        "required": .strings([enumCase.name]), "additionalProperties": false,
      ]
    }
  }

  private mutating func list(
    _ element: TypeInfo, _ type: TypeInfo, _ variant: OpenAPISchemaVariant, _ suffix: String, isUnique: Bool,
    hint: String
  ) -> JSONTree {
    let items = schema(element, variant.elementVariant, hint: hint + "Item")
    let node: JSONTree = ["type": "array", "items": items, "uniqueItems": isUnique ? true : nil]
    return collection(Self.ruled(node, type.rules, counted: "Items"), items, type, variant, suffix, hint: hint)
  }

  private mutating func dictionary(
    _ entry: TypeInfo, _ key: KeyInfo, _ type: TypeInfo, _ variant: OpenAPISchemaVariant, hint: String
  ) -> JSONTree {
    var values = schema(entry, variant.entryVariant, hint: hint + "Entry")
    // In a merge patch, null removes an entry.
    if variant == .merge { values = nullable(values, entry, variant) }
    let names: JSONTree =
      if case .scalar(let scalar) = key.type.kind, scalar.type == "integer" {
        ["type": "string", "pattern": "^(0|-?[1-9][0-9]*)$"]
      } else {
        schema(key.type, .read, hint: hint + "Key")
      }
    let node: JSONTree = [
      "type": "object", "propertyNames": names == ["type": "string"] ? nil : names, "additionalProperties": values,
    ]
    // The limits apply to the merged dictionary.
    let rules = variant == .merge ? [] : type.rules
    return collection(Self.ruled(node, rules, counted: "Properties"), values, type, variant, "Dictionary", hint: hint)
  }

  /// Returns a reference to the component of a collection, which is named after its elements.
  private mutating func collection(
    _ node: JSONTree, _ element: JSONTree, _ type: TypeInfo, _ variant: OpenAPISchemaVariant, _ suffix: String,
    hint: String
  ) -> JSONTree {
    // The variant of the elements is a part of their name. Two variants with the same elements are one schema.
    let name = type.rules.isEmpty ? element.schemaName + suffix : variant.name(of: hint)
    let key = "\(name) \(String(decoding: node.bytes, as: UTF8.self))"
    if let reference = references[key] { return reference }
    let example = variant.part(of: model.examples.value(of: type), type)
    return store(name, key, node, OpenAPIText.noun(type).asSentence, example)
  }

  private mutating func optional(
    _ wrapped: TypeInfo, _ type: TypeInfo, _ variant: OpenAPISchemaVariant, hint: String
  ) -> JSONTree {
    if case .optional = wrapped.kind {
      let some = schema(wrapped, variant, hint: hint)
      let properties: JSONTree = ["some": some]
      let kinds: JSONTree = ["object", "null"]
      // A merge patch may leave out the only member, and then changes nothing.
      let node: JSONTree =
        variant == .merge
        ? ["type": kinds, "properties": properties, "additionalProperties": false]
        : ["type": kinds, "properties": properties, "required": ["some"], "additionalProperties": false]
      let inner = some.schemaName
      let suffix = variant == .merge && !inner.hasSuffix("Patch") ? "Patch" : ""
      let name = "Optional" + (inner.hasPrefix("Nullable") ? String(inner.dropFirst("Nullable".count)) : inner) + suffix
      if let reference = references[name] { return reference }
      let description = "Null, or an object with the value in `some`, which can be null itself."
      let example = variant.part(of: model.examples.value(of: type), type)
      // Without the title, the Python generator numbers the class.
      return store(name, name, node.titled(name), description, example)
    }
    // An optional that can only be edited is never created by a PUT.
    let wrappedVariant = type.isFixed && variant == .put ? .replacement : variant
    return nullable(schema(wrapped, wrappedVariant, hint: hint), wrapped, wrappedVariant)
  }

  /// Returns the schema of a value or null.
  private mutating func nullable(
    _ node: JSONTree, _ type: TypeInfo, _ variant: OpenAPISchemaVariant
  ) -> JSONTree {
    guard let base = node.referencedName else { return JSONTree.object(node.members).allowingNull }
    // A dictionary of optionals allows null already.
    if case .optional = type.kind { return node }
    let name = "Nullable" + base
    if let reference = references[name] { return reference }
    let target = schemas[base] ?? [:]
    let schema =
      if let alternatives = target["oneOf"]?.elements, let first = alternatives.first {
        // Exactly one alternative may allow null.
        target.replacing(
          "oneOf",
          with: .array([inlined(first).titled("Nullable" + first.schemaName).allowingNull] + alternatives.dropFirst()))
      } else {
        target["properties"] == nil ? target.allowingNull : target.titled(name).allowingNull
      }
    return store(name, name, schema, "Can be null.", variant.part(of: model.examples.value(of: type), type))
  }

  private func inlined(_ node: JSONTree) -> JSONTree {
    node.referencedName.flatMap { schemas[$0] } ?? node
  }
}

// MARK: Components

extension OpenAPISchemas {
  /// Returns a reference to the component of a variant. If another variant has the same schema, they share it.
  ///
  /// - Parameters:
  ///   - base: The name of the component of ``OpenAPISchemaVariant/read``.
  ///   - isType: Whether the component is the schema of `type` itself.
  ///   - make: Returns the schema of a variant.
  private mutating func component(
    _ base: String, _ type: TypeInfo, _ variant: OpenAPISchemaVariant, _ description: String? = nil,
    isType: Bool = true, _ make: (inout OpenAPISchemas, OpenAPISchemaVariant) -> JSONTree
  ) -> JSONTree {
    let key = "\(base) \(variant) \(isType) \(type.signature)"
    if let reference = references[key] { return reference }
    let node = make(&self, variant)
    for other in variant.substitutes {
      let reference = component(base, type, other, description, isType: isType, make)
      guard let name = reference.referencedName, schemas[name] == node else { continue }
      references[key] = reference
      return reference
    }
    let name = variant.name(of: base)
    guard isType else { return store(name, key, node, nil, nil, isTypeName: false) }
    let example = variant.part(of: model.examples.value(of: type), type)
    return store(
      name, key, node, type.notes.description ?? description ?? variant.description(of: base), example,
      isTypeName: variant == .read && base == OpenAPINaming.capitalized(type.name))
  }

  /// Stores a component under a name that no other component has, and returns a reference to it.
  private mutating func store(
    _ name: String, _ key: String, _ schema: JSONTree, _ description: String?, _ example: JSONTree?,
    isTypeName: Bool = false
  ) -> JSONTree {
    // The name of a type belongs to its schema, also if that is stored later.
    let unique = OpenAPINaming.unused(name) { components[$0] != nil || (!isTypeName && model.names.contain($0)) }
    schemas[unique] = schema
    let text = schema["description"] == nil ? description : nil
    let head: JSONTree = ["description": text.map(JSONTree.string)]
    components[unique] = head.adding(schema).adding(["examples": example.map { [$0] }])
    let reference = JSONTree.reference("schemas", unique)
    references[key] = reference
    return reference
  }
}

extension OpenAPISchemaVariant {
  /// The variants whose component serves this one if the schemas are equal.
  fileprivate var substitutes: [OpenAPISchemaVariant] {
    switch self {
    case .read: []
    case .put, .merge: [.read]
    case .replacement: [.read, .put]
    case .whole: [.read, .put, .replacement]
    case .new: [.read, .put, .replacement, .whole]
    case .identified: [.read, .put, .replacement, .whole, .new]
    }
  }
}

extension JSONTree {
  /// The name of the referenced schema, or a name for an inline scalar.
  fileprivate var schemaName: String {
    if let referencedName { return referencedName }
    let types = self["type"].map { $0.elements.isEmpty ? [$0] : $0.elements }?.compactMap(\.string) ?? []
    return (types.contains("null") ? "Nullable" : "") + OpenAPINaming.capitalized(types.first ?? "Value")
  }

  /// Returns the object with another value of a member.
  fileprivate func replacing(_ key: String, with value: JSONTree) -> JSONTree {
    .object(members.map { $0.key == key ? Member(key: key, value: value) : $0 })
  }

  /// Returns the schema with a title, from which generators derive the name of a class.
  fileprivate func titled(_ title: String) -> JSONTree {
    .object([Member(key: "title", value: .string(title))] + members)
  }

  /// The schema of the same values and null.
  fileprivate var allowingNull: JSONTree {
    // No value is valid for an enum without cases.
    guard let type = self["type"] else { return self["not"] == nil ? self : ["type": "null"] }
    guard type.elements.isEmpty else { return self }
    let nullable = replacing("type", with: [type, "null"])
    guard let values = self["enum"]?.elements else { return nullable }
    return nullable.replacing("enum", with: .array(values + [.null]))
  }
}
