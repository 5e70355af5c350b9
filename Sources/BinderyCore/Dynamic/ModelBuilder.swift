import BinderyJSON
import FoundationEssentials

/// Builds the shape of a declared model out of the shapes of Swift types.
struct ModelBuilder {
  typealias Shape = EditableShape<DynamicValue>

  /// The maximum number of members of all structs, those of a definition counted at each place that refers to it.
  static var maximumMembers: Int { 10_000 }
  /// The maximum number of levels, those of definitions included. It bounds the length of paths. Any JSON value may be
  /// at the innermost one.
  static var maximumDepth: Int { JSONDocument.defaultMaximumDepth - 2 - FreeJSON.maximumDepth }

  let definitions: [String: SchemaDeclaration]
  private var builtDefinitions: [String: Shape] = [:]
  var mistakes: [ModelMistake] = []
  /// Whether the next collection is a member of a struct, which can keep the largest id.
  var allowsNumberedIDs = false

  init(_ declaration: ModelDeclaration) {
    definitions = Dictionary(declaration.definitions.map { ($0.name, $0.schema) }) { first, _ in first }
  }

  /// Records a mistake.
  mutating func fail(_ message: String, at pointer: String) { mistakes.append(ModelMistake(message, at: pointer)) }

  /// Records a mistake; returns nil for the part that cannot be built.
  mutating func failure<Part>(_ message: String, at pointer: String) -> Part? {
    fail(message, at: pointer)
    return nil
  }

  /// Returns the shape of a type.
  ///
  /// - Parameter name: The name of the type in the schema if it has no title.
  mutating func shape(of schema: SchemaDeclaration, named name: String) -> Shape {
    let shape = plainShape(of: schema, named: schema.notes.title?.typeName ?? name)
    if schema.notes == Notes() { return shape }
    return shape.with(shape.operations, type: shape.type.with(notes: schema.notes))
  }

  private mutating func plainShape(of schema: SchemaDeclaration, named name: String) -> Shape {
    switch schema.kind {
    case .any: Self.anyShape
    case .scalar(let scalar): self.scalar(scalar, at: schema.pointer)
    case .structure(let structure): self.structure(structure, named: name, at: schema.pointer)
    case .union(let cases): union(cases, named: name, at: schema.pointer)
    case .optional(let wrapped): shape(of: wrapped, named: name).optional
    case .list(let element, let limits): shape(of: element, named: name.elementName).list(limits)
    case .set(let element, let limits): shape(of: element, named: name.elementName).set(limits)
    case .collection(let element, let limits): collection(element, limits, named: name.elementName)
    case .dictionary(let value, let keys, let limits): dictionary(value, keys, limits, named: name.elementName)
    case .reference(let target): definition(target)
    }
  }

  static let anyShape = FreeJSON.shape.rarelyDynamic(
    { .json($0) }, { if case .json(let value) = $0 { value } else { nil } })

  private mutating func scalar(_ scalar: ScalarDeclaration, at pointer: String) -> Shape {
    if let code = scalar.code {
      fail("this type needs Swift code, which a model file cannot contain: \(code)", at: pointer)
    }
    return Self.shape(of: scalar)
  }

  /// Returns the shape of a definition.
  mutating func definition(_ name: String) -> Shape {
    if let built = builtDefinitions[name] { return built }
    // `referenceMistake` has made sure that the definition exists and does not contain itself.
    guard let schema = definitions[name] else { return Self.anyShape }
    var shape = shape(of: schema, named: name)
    // Like a struct, a list of values with a name has it in the OpenAPI document.
    if case .scalar(let scalar) = schema.kind, !scalar.values.isEmpty {
      shape = shape.with(shape.operations, type: shape.type.with(name: name))
    }
    builtDefinitions[name] = shape
    return shape
  }

  private mutating func union(_ cases: [CaseDeclaration], named name: String, at pointer: String) -> Shape {
    if let unusable = cases.first(where: { !Pointer.isMemberName($0.name) }) {
      return failure("no URL can address a case named “\(unusable.name)”", at: pointer) ?? Self.anyShape
    }
    var tables: [CaseTable<DynamicValue>] = []
    for (index, declaration) in cases.enumerated() {
      guard let payload = declaration.payload else {
        tables.append(
          CaseTable(declaration.name, .plainCase(index)) {
            if case .plainCase(index) = $0 { true } else { false }
          })
        continue
      }
      let path = CasePath<DynamicValue, DynamicValue>(
        embed: { .enumCase(index, $0) },
        extract: { value in
          if let payload = value.payload, payload.index == index { payload.value } else { nil }
        })
      let payloadName = name + declaration.name.typeName
      if case .structure(let labels) = payload.kind {
        tables.append(
          CaseTable(declaration.name, path, labelled(labels, payload, named: payloadName), isLabelled: true))
      } else {
        tables.append(CaseTable(declaration.name, path, shape(of: payload, named: payloadName), isLabelled: false))
      }
    }
    return EnumShape(cases: tables, named: name, isChecked: false).shape
  }

  /// Returns the shape of a payload with labels. A single label is the payload itself, as in Swift.
  private mutating func labelled(_ labels: StructDeclaration, _ schema: SchemaDeclaration, named name: String) -> Shape
  {
    guard let label = labels.singleLabel, Pointer.isMemberName(labels.members[0].name) else {
      return structure(labels, named: name, at: schema.pointer)
    }
    let member = labels.members[0]
    let shape = shape(of: label, named: member.name.typeName)
    return .labelled(member.name, shape, named: name, fallback(of: member, shape, isIdentity: false))
  }

  private mutating func collection(_ element: SchemaDeclaration, _ limits: CountLimits, named name: String) -> Shape {
    if isNumbered(SchemaDeclaration(.collection(element, limits))), !allowsNumberedIDs {
      fail(
        "a collection with generated integer ids must be a stored member of an object, and no computed member can show "
          + "it", at: element.pointer)
    }
    allowsNumberedIDs = false
    let shape = shape(of: element, named: name)
    switch shape.type.identity.flatMap({ KeyKind($0.type) }) {
    case .string?: return shape.collection(String.self, limits)
    case .integer?: return shape.collection(Int.self, limits)
    case .uuid?: return shape.collection(UUID.self, limits)
    case .date?: return shape.collection(CalendarDay.self, limits)
    case nil:
      fail(
        "the elements of a collection need an id: expected an object with “x-bindery”: {“id”: MEMBER}, whose member "
          + "is a string, an integer, a UUID or a date", at: element.pointer)
      return shape.list(CountLimits())
    }
  }

  private mutating func dictionary(
    _ value: SchemaDeclaration, _ keys: KeyKind, _ limits: CountLimits, named name: String
  ) -> Shape {
    let shape = shape(of: value, named: name)
    guard let type = Self.rareKeyTypes[keys] else { return shape.dictionary(String.self, limits) }
    return shape.dictionary(type, limits)
  }

  /// The types of keys that few dictionaries have. They are values, so that the compiler does not repeat the code of
  /// dictionaries for each of them, 90 KB in total.
  private static let rareKeyTypes: [KeyKind: any DynamicKey.Type] = [
    .integer: Int.self, .uuid: UUID.self, .date: CalendarDay.self,
  ]

  /// Decodes a constant.
  mutating func value(_ constant: ConstantDeclaration, of shape: Shape) -> DynamicValue? {
    do throws(RestoreError) {
      let node = try StoredPatch.parse(constant.json)
      do throws(ValidationError) {
        var decoding = Decoding(.creating)
        return try shape.decode(node, &decoding)
      } catch { throw RestoreError("\(error.detail)", at: error.pointer) }
    } catch { return failure(error.reason, at: constant.pointer + error.pointer) }
  }
}

extension String {
  /// The text as the name of a type: its letters and digits, the first letter in upper case.
  var typeName: String {
    let letters = filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    return letters.prefix(1).uppercased() + letters.dropFirst()
  }

  /// The name of the type of the elements of a collection whose type would have this name.
  fileprivate var elementName: String { hasSuffix("s") && count > 1 ? String(dropLast()) : self + "Item" }
}
