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
      json.key("$defs")
      json.beginObject()
      for definition in declaration.definitions {
        json.key(definition.name)
        write(definition.schema)
      }
      json.endObject()
    }
    json.endObject()
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
  private mutating func write(_ kind: SchemaDeclaration.Kind) {
    switch kind {
    case .any: break
    case .reference(let name): text("$ref", "#/$defs/" + name)
    case .scalar(let scalar): write(scalar, isOptional: false)
    case .structure(let structure): write(structure, isOptional: false)
    case .list, .set, .collection: array(kind, isOptional: false)
    case .dictionary(let value, _, let limits): dictionary(value, limits, isOptional: false)
    case .union(let cases): union(cases)
    case .optional(let wrapped): optional(wrapped)
    }
  }

  private mutating func write(_ notes: Notes) {
    if let title = notes.title { text("title", title) }
    if let description = notes.description { text("description", description) }
  }

  private mutating func optional(_ wrapped: SchemaDeclaration) {
    if wrapped.isInlineOptional {
      switch wrapped.kind {
      case .scalar(let scalar): return write(scalar, isOptional: true)
      case .structure(let structure): return write(structure, isOptional: true)
      case .list, .set, .collection: return array(wrapped.kind, isOptional: true)
      case .dictionary(let value, _, let limits): return dictionary(value, limits, isOptional: true)
      default: break
      }
    }
    json.key("anyOf")
    json.beginArray()
    if case .optional = wrapped.kind {
      json.beginObject()
      text("type", "object")
      json.key("properties")
      json.beginObject()
      json.key("some")
      write(wrapped)
      json.endObject()
      names("required", ["some"])
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
        text("type", "object")
        json.key("properties")
        json.beginObject()
        json.key(enumCase.name)
        write(payload)
        json.endObject()
        names("required", [enumCase.name])
      } else {
        text("const", enumCase.name)
      }
      json.endObject()
    }
    json.endArray()
  }

  private mutating func write(_ structure: StructDeclaration, isOptional: Bool) {
    type("object", isOptional)
    json.key("properties")
    json.beginObject()
    for member in structure.members {
      json.key(member.name)
      write(member)
    }
    json.endObject()
    let required = structure.members.filter(\.isRequired).map(\.name)
    if !required.isEmpty { names("required", required) }
    if structure.isOpen { flag("additionalProperties") }
  }

  private mutating func array(_ kind: SchemaDeclaration.Kind, isOptional: Bool) {
    type("array", isOptional)
    switch kind {
    case .collection(let element, let limits): items(element, limits)
    case .set(let element, let limits):
      items(element, limits)
      flag("uniqueItems")
    case .list(let element, let limits): items(element, limits)
    default: break
    }
  }

  private mutating func items(_ element: SchemaDeclaration, _ limits: CountLimits) {
    json.key("items")
    write(element)
    write(limits, "minItems", "maxItems")
  }

  private mutating func dictionary(_ value: SchemaDeclaration, _ limits: CountLimits, isOptional: Bool) {
    type("object", isOptional)
    json.key("additionalProperties")
    write(value)
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
    switch scalar.form {
    case .boolean: type("boolean", isOptional)
    case .integer: type("integer", isOptional)
    case .number: type("number", isOptional)
    case .float:
      type("number", isOptional)
      text("format", "float")
    case .string: type("string", isOptional)
    case .uuid, .date, .duration, .uri:
      type("string", isOptional)
      text("format", scalar.form.rawValue)
    case .dateTime:
      type("string", isOptional)
      text("format", "date-time")
    case .base64:
      type("string", isOptional)
      text("contentEncoding", "base64")
    }
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
