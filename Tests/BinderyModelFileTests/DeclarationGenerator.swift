import BinderyCore
import BindingLaws

/// Random declarations of models, with every kind of type and every optic.
struct DeclarationGenerator {
  var random: SeededGenerator
  private var definitions: [ModelDeclaration.Definition] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func model() -> ModelDeclaration {
    definitions = []
    var members = structure(depth: 0, hasID: false).members
    if chance(70) { members = items() + members }
    return ModelDeclaration(
      root: SchemaDeclaration(.structure(StructDeclaration(members: members))), definitions: definitions)
  }

  private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: choices.indices, using: &random)] }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  // MARK: Structs

  private mutating func structure(depth: Int, hasID: Bool) -> StructDeclaration {
    var members: [MemberDeclaration] = []
    if hasID { members.append(id(pick([.string, .integer, .uuid, .date]))) }
    for name in ["a", "b/c", "d~", "é", "__proto__"].prefix(Int.random(in: 1...4, using: &random)) {
      var member = stored(name, schema(depth: depth + 1))
      if chance(15) { member.notes = Notes(title: "T", description: "*/ </script> `${ \u{2028}") }
      if chance(5) { member.isReadOnly = true }
      if case .stored(let schema) = member.source, schema.isOptional || schema.kind == .any, chance(30) {
        (member.omitsNull, member.isRequired) = (true, false)
      }
      members.insert(member, at: Int.random(in: 0...members.count, using: &random))
    }
    members += optics(of: members)
    return StructDeclaration(members: members, identity: hasID ? "id" : nil)
  }

  private mutating func id(_ form: ScalarDeclaration.Form) -> MemberDeclaration {
    var scalar = ScalarDeclaration(form)
    switch (form, Int.random(in: 0..<4, using: &random)) {
    case (.integer, 0): scalar.minimum = .init("0")
    case (.integer, 1): scalar.values = ["1", "2", "30"]
    case (.string, 0): scalar.length = CountLimits(maximum: 2)
    case (.string, 1): scalar.values = ["\"a\"", "\"b c\""]
    case (.string, 2): scalar.isNotBlank = true
    default: break
    }
    return stored("id", SchemaDeclaration(.scalar(scalar)))
  }

  private func stored(_ name: String, _ schema: SchemaDeclaration) -> MemberDeclaration {
    var member = MemberDeclaration(name, .stored(schema))
    member.isRequired = true
    return member
  }

  /// Returns computed members of a struct with some stored ones.
  private mutating func optics(of members: [MemberDeclaration]) -> [MemberDeclaration] {
    var optics = [MemberDeclaration("first", .computed(.alias(PlaceDeclaration([members[0].name]))))]
    for member in members {
      guard chance(60), case .stored(let schema) = member.source else { continue }
      let place = PlaceDeclaration([member.name])
      let name = "of " + member.name
      switch resolved(schema).kind {
      case .list, .set, .collection, .dictionary: optics.append(MemberDeclaration(name, .computed(.count(place))))
      case .any where member.omitsNull:
        optics.append(MemberDeclaration(name, .computed(.alias(place))))
        let constant = ConstantDeclaration(Array("5".utf8))
        optics.append(MemberDeclaration("or " + name, .computed(.orDefault(of: place, value: constant))))
      case .optional(let wrapped):
        guard case .scalar(let scalar) = wrapped.kind, let value = example(of: scalar) else { continue }
        let constant = ConstantDeclaration(Array(value.utf8))
        optics.append(MemberDeclaration(name, .computed(.orDefault(of: place, value: constant))))
        optics.append(MemberDeclaration("again " + name, .computed(.alias(PlaceDeclaration([name])))))
      case .union(let cases):
        let texts = [OpticDeclaration.Text(value: cases[0].name, text: "É"), .init(value: "one", text: "One")]
        optics.append(MemberDeclaration(name, .computed(.label(of: place, texts: texts, otherwise: "Some"))))
        optics.append(MemberDeclaration("last " + name, .remembered(PlaceDeclaration([member.name, "one"]))))
      case .scalar(let scalar) where scalar.form == .boolean:
        let texts = [OpticDeclaration.Text(value: "true", text: "On"), .init(value: "false", text: "Off")]
        optics.append(MemberDeclaration(name, .computed(.label(of: place, texts: texts, otherwise: nil))))
      case .structure(let inner):
        guard let first = inner.members.first else { continue }
        optics.append(MemberDeclaration(name, .computed(.alias(PlaceDeclaration([member.name, first.name])))))
      default: continue
      }
    }
    return optics
  }

  private func resolved(_ schema: SchemaDeclaration) -> SchemaDeclaration {
    guard case .reference(let name) = schema.kind else { return schema }
    return definitions.first { $0.name == name }?.schema ?? schema
  }

  /// A collection, a reference to its elements, and members that are computed from both.
  private mutating func items() -> [MemberDeclaration] {
    var id = id(pick([.string, .integer, .uuid]))
    guard case .stored(let key) = id.source, case .scalar(var scalar) = key.kind else { return [] }
    if scalar == ScalarDeclaration(scalar.form), chance(50) { (id.isGenerated, id.isRequired) = (true, false) }
    var isDone = MemberDeclaration("isDone", .stored(SchemaDeclaration(.scalar(ScalarDeclaration(.boolean)))))
    isDone.fallback = ConstantDeclaration(Array("false".utf8))
    let element = StructDeclaration(
      members: [id, isDone, stored("note", schema(depth: 2))], identity: "id")
    let items = stored("items", SchemaDeclaration(.collection(define(.structure(element)), CountLimits())))
    let isReference = chance(50)
    if isReference {
      scalar.reference = ReferenceDeclaration(
        target: PlaceDeclaration(["items"]), onRemoval: pick([.clear, .refuse]))
    }
    let chosen = stored("chosen", SchemaDeclaration(.optional(SchemaDeclaration(.scalar(scalar)))))
    let (source, by) = (PlaceDeclaration(["items"]), PlaceDeclaration(["chosen"]))
    let done = ConstantDeclaration(Array("true".utf8))
    return [
      items, chosen, MemberDeclaration("chosenItem", .computed(.lookup(in: source, by: by))),
      MemberDeclaration("done", .computed(.filter(in: source, member: PlaceDeclaration(["isDone"]), equals: done))),
      MemberDeclaration("itemCount", .computed(.count(source))),
      MemberDeclaration("doneCount", .computed(.count(PlaceDeclaration(["done"])))),
    ]
  }

  // MARK: Types

  private mutating func schema(depth: Int) -> SchemaDeclaration {
    if depth > 3 || chance(33) { return SchemaDeclaration(.scalar(scalar())) }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return SchemaDeclaration(.any)
    case 1: return SchemaDeclaration(.structure(structure(depth: depth, hasID: false)))
    case 2: return define(.structure(structure(depth: depth, hasID: false)))
    case 3:
      let layers = Int.random(in: 1...3, using: &random)
      var schema = schema(depth: depth + 1)
      while schema.kind == .any { schema = SchemaDeclaration(.scalar(scalar())) }
      for _ in 0..<layers { schema = SchemaDeclaration(.optional(schema)) }
      return schema
    case 4: return SchemaDeclaration(.list(schema(depth: depth + 1), limits()))
    case 5: return SchemaDeclaration(.set(SchemaDeclaration(.scalar(scalar())), CountLimits()))
    case 6:
      return SchemaDeclaration(.collection(define(.structure(structure(depth: depth, hasID: true))), limits()))
    case 7: return SchemaDeclaration(.dictionary(schema(depth: depth + 1), pick(KeyKind.allCases), limits()))
    default: return union(depth: depth)
    }
  }

  private mutating func union(depth: Int) -> SchemaDeclaration {
    var cases = [CaseDeclaration("none"), CaseDeclaration("one", schema(depth: depth + 1))]
    if case .structure? = cases[1].payload?.kind {
      cases[1].payload = define(.structure(structure(depth: depth, hasID: false)))
    }
    cases.append(CaseDeclaration("labels", SchemaDeclaration(.structure(labels(depth: depth)))))
    return SchemaDeclaration(.union(cases))
  }

  private mutating func labels(depth: Int) -> StructDeclaration {
    let names = ["x", "y"].prefix(Int.random(in: 1...2, using: &random))
    return StructDeclaration(members: names.map { stored($0, schema(depth: depth + 1)) })
  }

  private mutating func define(_ kind: SchemaDeclaration.Kind) -> SchemaDeclaration {
    let name = "Type\(definitions.count)"
    definitions.append(ModelDeclaration.Definition(name: name, schema: SchemaDeclaration(kind)))
    return SchemaDeclaration(.reference(name))
  }

  private mutating func limits() -> CountLimits {
    pick([CountLimits(), CountLimits(), CountLimits(minimum: 0, maximum: 3), CountLimits(maximum: 4)])
  }

  private mutating func scalar() -> ScalarDeclaration {
    var scalar = ScalarDeclaration(pick(ScalarDeclaration.Form.allCases))
    switch (scalar.form, Int.random(in: 0..<4, using: &random)) {
    case (.integer, 0): scalar.minimum = .init("0")
    case (.integer, 1): scalar.values = ["1", "2", "30"]
    case (.number, 0): (scalar.minimum, scalar.maximum) = (.init("0"), .init("1.5", isExclusive: true))
    case (.float, 0): scalar.maximum = .init("2")
    case (.string, 0): scalar.length = CountLimits(maximum: 40)
    case (.string, 1): scalar.values = ["\"a\"", "\"b c\"", "\"é\"", "\"e\u{301}\""]
    case (.string, 2): (scalar.characters, scalar.isNotBlank) = (CountLimits(minimum: 1, maximum: 90), true)
    case (.base64, 0): scalar.length = CountLimits(minimum: 0, maximum: 40)
    default: break
    }
    return scalar
  }

  /// Returns a value of a scalar in JSON; nil if it has constraints.
  private func example(of scalar: ScalarDeclaration) -> String? {
    guard scalar == ScalarDeclaration(scalar.form) else { return nil }
    return switch scalar.form {
    case .boolean: "true"
    case .integer: "7"
    case .number, .float: "1.5"
    case .string: "\"guest\""
    case .uuid: "\"b10de400-0000-8000-8000-000000000001\""
    case .dateTime: "\"2026-11-21T19:00:00.000Z\""
    case .date: "\"2026-11-21\""
    case .duration: "\"PT1.5S\""
    case .uri: "\"https://example.com/\""
    case .base64: "\"AA==\""
    }
  }
}
