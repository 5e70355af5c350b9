import BinderyCore
import BinderyJSON

/// Reads the schemas of a model file.
struct SchemaParser {
  let document: JSONNode
  /// The definitions by their names.
  private let definitions: [String: JSONNode]
  var mistakes: [ModelMistake] = []
  /// The types whose optionals the model contains. They are checked when all definitions are known.
  private var optionals: [(wrapped: SchemaDeclaration, pointer: String)] = []

  init(_ document: JSONNode) {
    self.document = document
    let members = document["$defs"].map { $0.kind == .object ? Array($0.members) : [] } ?? []
    definitions = Dictionary(members.map { ($0.key.string ?? "", $0.value) }) { first, _ in first }
  }

  mutating func fail(_ message: String, at pointer: String) { mistakes.append(ModelMistake(message, at: pointer)) }

  /// Reads the whole file.
  mutating func model() -> ModelDeclaration {
    let fields = Fields(document, at: "", &mistakes)
    if let dialect = fields.take("$schema"), dialect.string != ModelFile.dialect {
      fail("expected “\(ModelFile.dialect)”, got \(dialect.excerpt(maximum: 80))", at: fields.place("$schema"))
    }
    if document.kind == .object, !fields.has("properties") {
      fail("expected a model: {\"type\": \"object\", \"properties\": …}", at: "")
      return ModelDeclaration(root: SchemaDeclaration(.any))
    }
    var definitions: [ModelDeclaration.Definition] = []
    if let node = fields.take("$defs") {
      let pointer = fields.place("$defs")
      if node.kind != .object { fail("expected an object of definitions", at: pointer) }
      var names: Set<[UInt8]> = []
      for (key, value) in node.members {
        let name = key.string ?? ""
        let place = pointer + "/" + Pointer.escaped(name)
        if !names.insert(Array(name.utf8)).inserted { fail("duplicate definition “\(name)”", at: place) }
        if !Self.isDefinitionName(name) {
          fail("expected a name of letters, digits, “.”, “_” and “-”, got “\(name)”", at: place)
        }
        definitions.append(ModelDeclaration.Definition(name: name, schema: schema(value, at: place)))
      }
    }
    let initial = fields.take("default").map { ConstantDeclaration($0.compacted, at: fields.place("default")) }
    let root = schema(fields)
    checkOptionals(Dictionary(definitions.map { ($0.name, $0.schema) }) { first, _ in first })
    return ModelDeclaration(root: root, definitions: definitions, initial: initial)
  }

  private mutating func checkOptionals(_ definitions: [String: SchemaDeclaration]) {
    for (wrapped, pointer) in optionals {
      switch definitions.resolved(wrapped).kind {
      case .optional: fail("an optional of an optional is an object with the required member “some”", at: pointer)
      case .any: fail("any value includes null", at: pointer)
      default: break
      }
    }
  }

  private static func isDefinitionName(_ name: String) -> Bool {
    !name.isEmpty
      && name.unicodeScalars.allSatisfy { letter in
        switch letter {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": true
        default: false
        }
      }
  }

  /// Reads a schema.
  mutating func schema(_ node: JSONNode, at pointer: String) -> SchemaDeclaration {
    if node.bool == true { return SchemaDeclaration(.any, at: pointer) }
    return schema(Fields(node, at: pointer, &mistakes))
  }

  /// Reads the schema that is left of some fields.
  mutating func schema(_ fields: Fields) -> SchemaDeclaration {
    let notes = notes(fields)
    let (kind, context) = kind(fields)
    mistakes += fields.remaining(in: context)
    return SchemaDeclaration(kind, notes: notes, at: fields.pointer)
  }

  private mutating func kind(_ fields: Fields) -> (SchemaDeclaration.Kind, context: String) {
    if let reference = fields.take("$ref") { return (self.reference(reference, fields.place("$ref")), "a reference") }
    if let cases = fields.take("oneOf") { return (union(cases, fields.place("oneOf")), "a union") }
    if let parts = fields.take("anyOf") { return (optional(parts, fields.place("anyOf")), "an optional") }
    guard let (type, isOptional) = declaredType(fields) else {
      guard fields.has("enum") || fields.has("const") else { return (.any, "a value without “type”") }
      return (.scalar(choice(fields, .string)), "a list of values")
    }
    for name in ["enum", "const"] where isOptional && fields.has(name) {
      fail("a list of values with null is written as “anyOf”", at: fields.place(name))
    }
    let (kind, context) = kind(type, fields)
    guard isOptional else { return (kind, context) }
    return (.optional(SchemaDeclaration(kind, at: fields.pointer)), context)
  }

  /// Takes the type, and whether null is allowed; the type is nil after a mistake.
  private mutating func declaredType(_ fields: Fields) -> (String?, isOptional: Bool)? {
    guard let node = fields.take("type") else { return nil }
    if let name = node.string { return (name, false) }
    let names = node.elements.compactMap(\.string)
    guard node.kind == .array, node.count == 2, names.count == 2, names.contains("null"),
      let name = names.first(where: { $0 != "null" })
    else {
      fail(
        "\(Self.expectedTypes), or one of them and “null”, got \(node.excerpt(maximum: 60))", at: fields.place("type"))
      return (nil, false)
    }
    return (name, true)
  }

  private static var expectedTypes: String {
    "expected “object”, “array”, “string”, “integer”, “number” or “boolean”"
  }

  private mutating func kind(_ type: String?, _ fields: Fields) -> (SchemaDeclaration.Kind, context: String) {
    switch type {
    case "object": return (object(fields), "an object")
    case "array": return (array(fields), "an array")
    case "string": return (.scalar(string(fields)), "a string")
    case "integer": return (.scalar(integer(fields)), "an integer")
    case "number": return (.scalar(number(fields)), "a number")
    case "boolean": return (.scalar(ScalarDeclaration(.boolean).with(codeOf: fields, &mistakes)), "a Boolean")
    case nil: return (.any, "this value")
    case let type?:
      fail(
        type == "null"
          ? "a value that is always null carries no information; for any JSON value, use the schema true"
          : "unknown type “\(type)”: \(Self.expectedTypes)", at: fields.place("type"))
      return (.any, "this value")
    }
  }

  // MARK: Types with parts

  private mutating func reference(_ node: JSONNode, _ pointer: String) -> SchemaDeclaration.Kind {
    let prefix = "#/$defs/"
    guard let text = node.string, text.hasPrefix(prefix), Self.isDefinitionName(String(text.dropFirst(prefix.count)))
    else {
      fail("expected a reference such as “#/$defs/Name”, got \(node.excerpt(maximum: 60))", at: pointer)
      return .any
    }
    let name = String(text.dropFirst(prefix.count))
    if definitions[name] == nil { fail("there is no definition “\(name)” in “$defs”", at: pointer) }
    return .reference(name)
  }

  private mutating func optional(_ node: JSONNode, _ pointer: String) -> SchemaDeclaration.Kind {
    let parts = Array(node.elements)
    guard node.kind == .array, parts.count == 2,
      let null = parts.firstIndex(where: { $0.count == 1 && $0["type"]?.string == "null" })
    else {
      fail("expected two schemas, one of which is {\"type\": \"null\"}", at: pointer)
      return .any
    }
    let wrapped = schema(parts[1 - null], at: "\(pointer)/\(1 - null)")
    // A layer of a nested optional is an object with the member “some”.
    if case .structure(let layer) = wrapped.kind, layer.members.count == 1, layer.members[0].name == "some",
      layer.members[0].isRequired, case .stored(let inner) = layer.members[0].source, inner.isOptional
    {
      return .optional(inner)
    }
    optionals.append((wrapped, pointer))
    return .optional(wrapped)
  }

  private mutating func union(_ node: JSONNode, _ pointer: String) -> SchemaDeclaration.Kind {
    guard node.kind == .array, node.count > 0 else {
      fail("expected an array of cases", at: pointer)
      return .any
    }
    var cases: [CaseDeclaration] = []
    var names: Set<[UInt8]> = []
    for (index, part) in node.elements.enumerated() {
      let place = "\(pointer)/\(index)"
      guard let new = unionCase(Fields(part, at: place, &mistakes)) else { continue }
      if !names.insert(Array(new.name.utf8)).inserted { fail("two cases have the name “\(new.name)”", at: place) }
      cases.append(new)
    }
    return .union(cases)
  }

  private mutating func unionCase(_ fields: Fields) -> CaseDeclaration? {
    defer { mistakes += fields.remaining(in: "a case") }
    let type = fields.take("type")?.string
    if let constant = fields.take("const") {
      guard let name = constant.string, type == nil || type == "string" else {
        fail("expected the name of a case, a string, got \(constant.excerpt(maximum: 40))", at: fields.place("const"))
        return nil
      }
      return CaseDeclaration(name)
    }
    guard type == "object", let properties = fields.take("properties"), properties.count == 1,
      let (key, payload) = properties.members.map({ $0 }).first, let name = key.string
    else {
      fail(
        "expected a case: {\"const\": NAME}, or {\"type\": \"object\", \"properties\": {NAME: PAYLOAD}}; "
          + "for any JSON value, use the schema true", at: fields.pointer)
      return nil
    }
    if let required = fields.take("required"), required.count != 1 || required.elements.map(\.string).first != name {
      fail("expected [\"\(name)\"]", at: fields.place("required"))
    }
    refuseOthers(fields)
    return CaseDeclaration(name, schema(payload, at: fields.place("properties") + "/" + Pointer.escaped(name)))
  }

  /// Takes `additionalProperties: false`, which is implied.
  private mutating func refuseOthers(_ fields: Fields) {
    guard let node = fields.take("additionalProperties"), node.bool != false else { return }
    fail("expected true, for further members with any JSON value, or false", at: fields.place("additionalProperties"))
  }

  private mutating func object(_ fields: Fields) -> SchemaDeclaration.Kind {
    guard let properties = fields.take("properties") else { return dictionary(fields) }
    let isOpen = fields.peek("additionalProperties")?.bool == true
    if isOpen { _ = fields.take("additionalProperties") } else { refuseOthers(fields) }
    let pointer = fields.place("properties")
    guard properties.kind == .object else {
      fail("expected an object of schemas", at: pointer)
      return .any
    }
    var required: [String] = []
    if let node = fields.take("required") {
      required = node.elements.compactMap(\.string)
      if node.kind != .array || required.count != node.count {
        fail("expected an array of names", at: fields.place("required"))
      }
    }
    var unmatched = Set(required.map { Array($0.utf8) })
    if unmatched.count < required.count { fail("a name is given twice", at: fields.place("required")) }
    var members: [MemberDeclaration] = []
    for (key, value) in properties.members {
      let name = key.string ?? ""
      let isRequired = unmatched.remove(Array(name.utf8)) != nil
      members.append(member(name, value, at: pointer + "/" + Pointer.escaped(name), isRequired: isRequired))
    }
    for name in required where unmatched.contains(Array(name.utf8)) {
      fail("there is no property “\(name)”", at: fields.place("required"))
    }
    var identity: String?
    if let own = fields.own, let node = own.take("id") {
      identity = node.string
      if identity == nil { fail("expected the name of a member", at: own.place("id")) }
    }
    return .structure(StructDeclaration(members: members, identity: identity, isOpen: isOpen))
  }

  private mutating func dictionary(_ fields: Fields) -> SchemaDeclaration.Kind {
    guard let values = fields.take("additionalProperties"), values.bool != false else {
      fail(
        "expected “properties”, or “additionalProperties” with the schema of the values; for any JSON value, use the "
          + "schema true", at: fields.pointer)
      return .any
    }
    var keys = KeyKind.string
    if let own = fields.own, let node = own.take("keys") {
      if let kind = node.string.flatMap(KeyKind.init(rawValue:)) {
        keys = kind
      } else {
        fail("expected “string”, “integer”, “uuid” or “date”", at: own.place("keys"))
      }
    }
    let limits = limits(fields, "minProperties", "maxProperties")
    return .dictionary(schema(values, at: fields.place("additionalProperties")), keys, limits)
  }

  private mutating func array(_ fields: Fields) -> SchemaDeclaration.Kind {
    guard let items = fields.take("items") else {
      fail(
        "expected “items” with the schema of the elements; for any JSON value, use the schema true", at: fields.pointer)
      return .any
    }
    let limits = limits(fields, "minItems", "maxItems")
    let isUnique = flag("uniqueItems", of: fields)
    let isAddressable = fields.own.map { $0.has("addressable") ? flag("addressable", of: $0) : true } ?? true
    let element = schema(items, at: fields.place("items"))
    if isAddressable, hasID(items) { return .collection(element, limits) }
    return isUnique ? .set(element, limits) : .list(element, limits)
  }

  /// Returns whether a schema is an object with an id.
  private func hasID(_ node: JSONNode) -> Bool {
    var node = node
    // A reference to a reference: as many as a model may have levels.
    for _ in 0..<64 {
      guard let name = node["$ref"]?.string?.split(separator: "/").last else { break }
      guard let target = definitions[String(name)] else { return false }
      node = target
    }
    return node["x-bindery"]?["id"] != nil
  }
}

extension JSONNode {
  /// The text of the value without white space between its tokens.
  var compacted: [UInt8] { JSONTree(self).bytes }
}
