package import BinderyCore
import BinderyJSON

extension ModelFile {
  /// Returns a model as text that is easy to read and edit.
  package static func text(of declaration: ModelDeclaration) -> [UInt8] {
    var writer = ModelFileWriter()
    writer.write(declaration)
    guard let document = try? JSONDocument(parsing: writer.json.bytes, maximumDepth: 1_000) else {
      preconditionFailure("the writer writes JSON")
    }
    return document.root.laidOut() + [UInt8(ascii: "\n")]
  }
}

/// Writes the schemas of a model file.
private struct ModelFileWriter {
  var json = JSONWriter()

  mutating func write(_ declaration: ModelDeclaration) {
    json.beginObject()
    text("$schema", ModelFile.dialect)
    body(declaration.root)
    if let initial = declaration.initial { raw("default", initial.json) }
    if !declaration.definitions.isEmpty {
      object("$defs") { writer in
        for definition in declaration.definitions { writer.write(definition.schema, named: definition.name) }
      }
    }
    json.endObject()
  }

  private mutating func write(_ schema: SchemaDeclaration, named name: String) {
    json.key(name)
    write(schema)
  }

  private mutating func write(_ schema: SchemaDeclaration) {
    if case .any = schema.kind, schema.notes == Notes() { return json.bool(true) }
    json.beginObject()
    body(schema)
    json.endObject()
  }

  /// Writes the keywords of a schema.
  ///
  /// - Parameter own: Further keywords of `x-bindery`.
  private mutating func body(_ schema: SchemaDeclaration, _ own: [OwnKeyword] = []) {
    write(schema.notes)
    write(schema.kind)
    let own = own + OwnKeyword.all(of: schema)
    if !own.isEmpty { write(own) }
  }

  private mutating func write(_ own: [OwnKeyword]) {
    object("x-bindery") { writer in
      for keyword in own { writer.raw(keyword.name, keyword.value) }
    }
  }

  /// Writes the keywords of JSON Schema.
  private mutating func write(_ kind: SchemaDeclaration.Kind, isOptional: Bool = false) {
    switch kind {
    case .any: break
    case .reference(let name): text("$ref", "#/$defs/" + name)
    case .scalar(let scalar): write(scalar, isOptional: isOptional)
    case .structure(let structure): write(structure, isOptional: isOptional)
    case .list(let element, let limits), .collection(let element, let limits):
      array(element, limits, isOptional: isOptional)
    case .set(let element, let limits):
      array(element, limits, isOptional: isOptional)
      flag("uniqueItems")
    case .dictionary(let value, _, let limits): dictionary(value, limits, isOptional: isOptional)
    case .union(let cases): union(cases)
    case .optional(let wrapped) where wrapped.isInlineOptional: write(wrapped.kind, isOptional: true)
    case .optional(let wrapped): optional(wrapped)
    }
  }

  private mutating func write(_ notes: Notes) {
    if let title = notes.title { text("title", title) }
    if let description = notes.description { text("description", description) }
  }

  private mutating func optional(_ wrapped: SchemaDeclaration) {
    json.key("anyOf")
    json.beginArray()
    if case .optional = wrapped.kind {
      json.beginObject()
      object(with: "some", wrapped)
      json.endObject()
    } else {
      write(wrapped)
    }
    json.beginObject()
    text("type", "null")
    json.endObject()
    json.endArray()
  }

  private mutating func union(_ cases: [CaseDeclaration]) {
    json.key("oneOf")
    json.beginArray()
    for enumCase in cases {
      json.beginObject()
      if let payload = enumCase.payload {
        object(with: enumCase.name, payload)
      } else {
        text("const", enumCase.name)
      }
      json.endObject()
    }
    json.endArray()
  }

  /// Writes an object type with one required member.
  private mutating func object(with name: String, _ schema: SchemaDeclaration) {
    text("type", "object")
    object("properties") { $0.write(schema, named: name) }
    names("required", [name])
  }

  private mutating func write(_ structure: StructDeclaration, isOptional: Bool) {
    type("object", isOptional)
    object("properties") { writer in
      for member in structure.members {
        writer.json.key(member.name)
        writer.write(member)
      }
    }
    let required = structure.members.filter(\.isRequired).map(\.name)
    if !required.isEmpty { names("required", required) }
    if structure.isOpen { flag("additionalProperties") }
  }

  private mutating func array(_ element: SchemaDeclaration, _ limits: CountLimits, isOptional: Bool) {
    type("array", isOptional)
    write(element, named: "items")
    write(limits, "minItems", "maxItems")
  }

  private mutating func dictionary(_ value: SchemaDeclaration, _ limits: CountLimits, isOptional: Bool) {
    type("object", isOptional)
    write(value, named: "additionalProperties")
    write(limits, "minProperties", "maxProperties")
  }

  // MARK: Members

  private mutating func write(_ member: MemberDeclaration) {
    if member == MemberDeclaration(member.name, member.source).required(member.isRequired),
      case .stored(let schema) = member.source, schema == SchemaDeclaration(.any)
    {
      return json.bool(true)
    }
    json.beginObject()
    write(member.notes)
    switch member.source {
    case .stored(let schema): body(schema, OwnKeyword.flags(of: member))
    case .remembered(let place): write([OwnKeyword("remembered") { $0.string(place.text) }])
    case .computed(let optic): write([OwnKeyword(optic)])
    case .compiled(let schema, _): body(schema, [OwnKeyword("swift") { $0.string(SchemaParser.computedBySwift) }])
    }
    var isReadOnly = member.isReadOnly
    if case .compiled(_, true) = member.source { isReadOnly = true }
    if isReadOnly { flag("readOnly") }
    if let fallback = member.fallback { raw("default", fallback.json) }
    json.endObject()
  }

  // MARK: Scalars

  private mutating func write(_ scalar: ScalarDeclaration, isOptional: Bool) {
    let (name, format): (String, String?) =
      switch scalar.form {
      case .boolean, .integer, .number, .string: (scalar.form.rawValue, nil)
      case .float: ("number", "float")
      case .uuid, .date, .duration, .uri: ("string", scalar.form.rawValue)
      case .dateTime: ("string", "date-time")
      case .base64: ("string", nil)
      }
    type(name, isOptional)
    if let format { text("format", format) }
    if scalar.form == .base64 { text("contentEncoding", "base64") }
    if !scalar.values.isEmpty {
      json.key("enum")
      json.beginArray()
      for value in scalar.values { json.raw(Array(value.utf8)) }
      json.endArray()
    }
    limit(scalar.minimum, "minimum", "exclusiveMinimum")
    limit(scalar.maximum, "maximum", "exclusiveMaximum")
    if scalar.form == .string { write(scalar.length, "minLength", "maxLength") }
  }

  private mutating func limit(_ limit: Bound?, _ name: String, _ exclusiveName: String) {
    guard let limit else { return }
    raw(limit.isExclusive ? exclusiveName : name, Array(limit.text.utf8))
  }

  private mutating func write(_ limits: CountLimits, _ minimum: String, _ maximum: String) {
    if let least = limits.minimum { raw(minimum, Array(String(least).utf8)) }
    if let most = limits.maximum { raw(maximum, Array(String(most).utf8)) }
  }

  // MARK: Parts of objects

  private mutating func type(_ name: String, _ isOptional: Bool) {
    guard isOptional else { return text("type", name) }
    names("type", [name, "null"])
  }

  private mutating func text(_ name: String, _ text: String) { json.member(name, text) }

  private mutating func flag(_ name: String) { json.member(name, true) }

  private mutating func raw(_ name: String, _ value: [UInt8]) {
    json.key(name)
    json.raw(value)
  }

  private mutating func names(_ name: String, _ names: [String]) {
    json.key(name)
    json.beginArray()
    for name in names { json.string(name) }
    json.endArray()
  }

  private mutating func object(_ name: String, _ body: (inout ModelFileWriter) -> Void) {
    json.key(name)
    json.beginObject()
    body(&self)
    json.endObject()
  }
}

extension MemberDeclaration {
  /// Returns this member as one that is required or not.
  fileprivate func required(_ isRequired: Bool) -> MemberDeclaration {
    var copy = self
    copy.isRequired = isRequired
    return copy
  }
}

extension SchemaDeclaration {
  /// Whether the optional of this type is written as its schema with a second type, `null`.
  var isInlineOptional: Bool {
    guard notes == Notes() else { return false }
    switch kind {
    case .scalar(let scalar): return scalar.values.isEmpty
    case .structure, .list, .set, .collection, .dictionary: return true
    case .any, .union, .optional, .reference: return false
    }
  }
}
