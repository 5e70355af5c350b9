import BinderyJSON

/// A part of a struct that an optic names or computes.
struct DynamicPart {
  /// The type of the part.
  var schema: SchemaDeclaration
  /// The name of the type if the schema has no title.
  var typeName: String
  var access: DynamicAccess
  /// The names of the stored members of the struct that the part depends on.
  var sources: [String]
  /// The names of the stored members that lead to the part, through aliases; empty for a value that is computed.
  var place: [String] = []
  /// Whether the part can be edited, but neither created nor removed.
  var isFixed = false
}

/// An optic that is being resolved, to find cycles.
struct OpticStep {
  let name: String
  let pointer: String
}

extension ModelBuilder {
  /// The maximum number of optics that lead from one to the next.
  static var maximumOptics: Int { 32 }

  /// Returns the type of a declaration, with references followed.
  func resolved(_ schema: SchemaDeclaration) -> SchemaDeclaration { definitions.resolved(schema) }

  /// Returns the part at a place below a struct; nil after a mistake.
  mutating func part(
    at place: PlaceDeclaration, in structure: StructDeclaration, typeName: String, through steps: [OpticStep]
  ) -> DynamicPart? {
    guard let first = place.segments.first else {
      return failure("expected the pointer of a member, such as /name, got “”", at: place.pointer)
    }
    guard let member = structure.member(named: first) else {
      return failure("there is no member “\(first)” at “\(place.text)”", at: place.pointer)
    }
    guard let part = part(member, of: structure, typeName: typeName, through: steps) else { return nil }
    let rest = PlaceDeclaration(Array(place.segments.dropFirst()), at: place.pointer)
    if rest.segments.isEmpty { return part }
    guard !part.isFixed, case .structure(let inner) = resolved(part.schema).kind else {
      return failure(
        "“\(place.text)” leads through “\(first)”: expected an object that is always there", at: place.pointer)
    }
    guard var innerPart = self.part(at: rest, in: inner, typeName: part.typeName, through: steps) else { return nil }
    innerPart.access = part.access.appending(innerPart.access)
    innerPart.sources = part.sources
    innerPart.place = part.place + innerPart.place
    return innerPart
  }

  /// Returns a member as a part of its struct; nil after a mistake.
  mutating func part(
    _ member: MemberDeclaration, of structure: StructDeclaration, typeName: String, through steps: [OpticStep]
  ) -> DynamicPart? {
    switch member.source {
    case .stored(let schema):
      guard let slot = structure.slot(of: member.name) else { return nil }
      let access = DynamicAccess.slot(slot)
      let isReadOnly = member.isReadOnly || structure.identity.map(member.name.isSame) ?? false
      // Any JSON value that may be left out is an optional.
      let isOptional = member.omitsNull && !resolved(schema).isOptional
      return DynamicPart(
        schema: isOptional ? SchemaDeclaration(.optional(schema), at: schema.pointer) : schema,
        typeName: member.name.typeName,
        access: isReadOnly ? DynamicAccess(get: access.get, set: nil) : access, sources: [member.name],
        place: [member.name])
    case .remembered(let place):
      guard let slot = structure.slot(of: member.name), let remembered = rememberedCase(place, in: structure) else {
        return nil
      }
      return DynamicPart(
        schema: SchemaDeclaration(.optional(remembered.payload), at: member.pointer), typeName: member.name.typeName,
        access: DynamicAccess(get: DynamicAccess.slot(slot).get, set: nil), sources: [member.name])
    case .compiled:
      return failure(
        "“\(member.name)” is computed by Swift code, which a model file cannot contain: remove it, or declare an "
          + "optic such as “alias”", at: member.pointer)
    case .computed(let optic):
      if let first = steps.first(where: { $0.pointer == member.pointer && $0.name.isSame(as: member.name) }) {
        let last = steps.last ?? first
        return failure("“\(first.name)” and “\(last.name)” are computed from each other", at: member.pointer)
      }
      guard steps.count < Self.maximumOptics else {
        return failure(
          "“\(member.name)” depends on more than \(Self.maximumOptics) computed members, one through the other",
          at: member.pointer)
      }
      let steps = steps + [OpticStep(name: member.name, pointer: member.pointer)]
      return part(optic, in: structure, at: member.pointer, typeName: typeName, through: steps)
    }
  }

  private mutating func part(
    _ optic: OpticDeclaration, in structure: StructDeclaration, at pointer: String, typeName: String,
    through steps: [OpticStep]
  ) -> DynamicPart? {
    switch optic {
    case .alias(let place): return part(at: place, in: structure, typeName: typeName, through: steps)
    case .orDefault(let place, let value):
      guard let part = part(at: place, in: structure, typeName: typeName, through: steps) else { return nil }
      return orDefault(part, value, place)
    case .count(let place):
      guard let part = part(at: place, in: structure, typeName: typeName, through: steps) else { return nil }
      switch resolved(part.schema).kind {
      case .collection, .list, .set, .dictionary: break
      default: return failure("“\(place.text)” has no elements that can be counted", at: place.pointer)
      }
      return DynamicPart(
        schema: SchemaDeclaration(.scalar(ScalarDeclaration(.integer)), at: pointer), typeName: "Count",
        access: DynamicAccess(get: { [get = part.access.get] in .integer(get($0).count) }, set: nil),
        sources: part.sources)
    case .lookup(let collection, let key):
      guard let elements = part(at: collection, in: structure, typeName: typeName, through: steps),
        let id = part(at: key, in: structure, typeName: typeName, through: steps)
      else { return nil }
      return lookup(elements, collection, id, key)
    case .filter(let collection, let member, let constant):
      guard let elements = part(at: collection, in: structure, typeName: typeName, through: steps) else { return nil }
      return filter(elements, collection, member, constant)
    case .label(let place, let texts, let otherwise):
      guard let part = part(at: place, in: structure, typeName: typeName, through: steps) else { return nil }
      return label(part, place, texts, otherwise)
    }
  }

  private mutating func orDefault(
    _ part: DynamicPart, _ constant: ConstantDeclaration, _ place: PlaceDeclaration
  ) -> DynamicPart? {
    guard !part.isFixed, case .optional(let wrapped) = resolved(part.schema).kind else {
      return failure("“\(place.text)” is never null, so it needs no default", at: place.pointer)
    }
    let shape = shape(of: wrapped, named: part.typeName)
    guard let value = value(constant, of: shape) else { return nil }
    let isNested = resolved(wrapped).isOptional
    let get = part.access.get
    var set: (@Sendable (inout DynamicValue, DynamicValue) -> Void)?
    if let setOptional = part.access.set {
      set = { root, value in setOptional(&root, isNested ? .layer(value) : value) }
    }
    var result = part
    result.schema = wrapped
    result.access = DynamicAccess(
      get: { root in
        let optional = get(root)
        if case .layer(let wrapped) = optional { return wrapped }
        return optional.isNull ? value : optional
      }, set: set)
    return result
  }

  /// Returns the elements of a collection with the kind of their ids; nil after a mistake.
  mutating func elements(
    of part: DynamicPart, _ place: PlaceDeclaration
  ) -> (schema: SchemaDeclaration, structure: StructDeclaration, id: SchemaDeclaration)? {
    guard case .collection(let element, _) = resolved(part.schema).kind,
      case .structure(let structure) = resolved(element).kind, let identity = structure.identity,
      case .stored(let id)? = structure.member(named: identity)?.source
    else { return failure("“\(place.text)” is not an array of objects with ids", at: place.pointer) }
    return (element, structure, id)
  }

  private mutating func lookup(
    _ collection: DynamicPart, _ place: PlaceDeclaration, _ key: DynamicPart, _ keyPlace: PlaceDeclaration
  ) -> DynamicPart? {
    guard let elements = elements(of: collection, place) else { return nil }
    var keySchema = resolved(key.schema)
    var isOptional = false
    if case .optional(let wrapped) = keySchema.kind {
      isOptional = true
      keySchema = resolved(wrapped)
    }
    guard isKey(keySchema, likeIDs: elements.id) else {
      return failure("“\(keyPlace.text)” does not have the type of the ids in “\(place.text)”", at: keyPlace.pointer)
    }
    let (source, id) = (collection.access, key.access)
    var set: (@Sendable (inout DynamicValue, DynamicValue) -> Void)?
    if let setElements = source.set {
      let clear = isOptional ? id.set : nil
      set = { root, value in
        guard !value.isNull else {
          clear?(&root, .null)
          return
        }
        // Writing through the lookup edits the element that is named now.
        guard value.member(0).isSameKey(as: id.get(root)) else { return }
        var elements = source.get(root)
        elements.setElement(withID: value.member(0), to: value)
        setElements(&root, elements)
      }
    }
    return DynamicPart(
      schema: SchemaDeclaration(.optional(elements.schema), at: place.pointer), typeName: collection.typeName,
      access: DynamicAccess(
        get: { root in
          let key = id.get(root)
          return key.isNull ? .null : source.get(root).element(withID: key) ?? .null
        }, set: set), sources: collection.sources + key.sources, isFixed: true)
  }

  /// Returns whether a scalar has the type of the ids of a collection.
  func isKey(_ key: SchemaDeclaration, likeIDs id: SchemaDeclaration) -> Bool {
    guard case .scalar(let key) = resolved(key).kind, case .scalar(let id) = resolved(id).kind else { return false }
    return key.form == id.form
  }

  private mutating func filter(
    _ collection: DynamicPart, _ place: PlaceDeclaration, _ member: PlaceDeclaration, _ constant: ConstantDeclaration
  ) -> DynamicPart? {
    guard let elements = elements(of: collection, place),
      let part = part(at: member, in: elements.structure, typeName: collection.typeName, through: [])
    else { return nil }
    let shape = shape(of: part.schema, named: part.typeName)
    guard let wanted = value(constant, of: shape) else { return nil }
    let (source, get) = (collection.access.get, part.access.get)
    var id = elements.id
    // An id in the result is not a reference that the server maintains.
    if case .scalar(var scalar) = id.kind {
      scalar.reference = nil
      id.kind = .scalar(scalar)
    }
    return DynamicPart(
      schema: SchemaDeclaration(.list(id, CountLimits()), at: place.pointer), typeName: collection.typeName,
      access: DynamicAccess(
        get: { root in
          .list(source(root).elements.filter { shape.areSame(get($0), wanted) }.map { $0.member(0) })
        }, set: nil), sources: collection.sources)
  }

  private mutating func label(
    _ part: DynamicPart, _ place: PlaceDeclaration, _ texts: [OpticDeclaration.Text], _ otherwise: String?
  ) -> DynamicPart? {
    let schema = resolved(part.schema)
    // Compared by bytes, like all values: `String ==` ignores normalization.
    var table: [String.UTF8View.Bytes: String] = [:]
    for text in texts { table[String.UTF8View.Bytes(text.value)] = text.text }
    let name: @Sendable (DynamicValue) -> String
    var values: [String]?
    switch schema.kind {
    case .union(let cases):
      values = cases.map(\.name)
      name = { [names = cases.map(\.name)] value in
        if case .plainCase(let index) = value { names[index] } else { value.payload.map { names[$0.index] } ?? "" }
      }
    case .scalar(let scalar):
      if scalar.form == .boolean { values = ["true", "false"] }
      if !scalar.values.isEmpty { values = scalar.values.map(\.unquoted) }
      let shape = shape(of: schema, named: part.typeName)
      name = { shape.text($0).unquoted }
    default: return failure("“\(place.text)” is neither a value without parts nor a union", at: place.pointer)
    }
    let unknown = texts.first { text in values?.contains { $0.isSame(as: text.value) } == false }
    if let values, let unknown {
      let suggestion = Spelling.suggestion(for: unknown.value, among: values)
      return failure("“\(unknown.value)” is no value of “\(place.text)”.\(suggestion)", at: place.pointer)
    }
    if values == nil, otherwise == nil {
      return failure("“\(place.text)” can have any value, so the label needs “otherwise”", at: place.pointer)
    }
    let missing = values?.first { table[String.UTF8View.Bytes($0)] == nil }
    if otherwise == nil, let missing {
      return failure("the label has no text for “\(missing)”: add it to “texts”, or add “otherwise”", at: place.pointer)
    }
    return DynamicPart(
      schema: SchemaDeclaration(.scalar(ScalarDeclaration(.string)), at: place.pointer), typeName: "Label",
      access: DynamicAccess(
        get: { [table, get = part.access.get] root in
          .text(table[String.UTF8View.Bytes(name(get(root)))] ?? otherwise ?? "")
        }, set: nil),
      sources: part.sources)
  }

  /// Returns the union and the case that a remembered member refers to; nil after a mistake.
  mutating func rememberedCase(
    _ place: PlaceDeclaration, in structure: StructDeclaration
  ) -> (union: DynamicPart, index: Int, payload: SchemaDeclaration)? {
    guard let name = place.segments.last, place.segments.count > 1,
      // The union is stored: a remembered member is kept up to date when a commit has changed it.
      case .stored? = structure.member(named: place.segments[0])?.source
    else {
      return failure(
        "expected the pointer of a case of a stored member, such as /time/custom, got “\(place.text)”",
        at: place.pointer)
    }
    let parent = PlaceDeclaration(Array(place.segments.dropLast()), at: place.pointer)
    guard let union = part(at: parent, in: structure, typeName: "", through: []) else { return nil }
    guard case .union(let cases) = resolved(union.schema).kind,
      let index = cases.firstIndex(where: { $0.name.isSame(as: name) }), let payload = cases[index].payload
    else { return failure("“\(place.text)” is not a case with a payload", at: place.pointer) }
    // A payload with one label is its label's value.
    if case .structure(let labels) = payload.kind, let label = labels.singleLabel {
      return (union, index, label)
    }
    return (union, index, payload)
  }
}

extension StructDeclaration {
  /// The type of the label of a case payload with one label, which is the payload itself.
  var singleLabel: SchemaDeclaration? {
    guard members.count == 1, !isOpen, case .stored(let label) = members[0].source, members[0].fallback == nil,
      !members[0].isReadOnly, !members[0].omitsNull
    else { return nil }
    return label
  }
}

extension String {
  /// The value of a string in canonical JSON; other JSON as it is.
  fileprivate var unquoted: String { (try? StoredPatch.parse(Array(utf8)).string) ?? self }
}
