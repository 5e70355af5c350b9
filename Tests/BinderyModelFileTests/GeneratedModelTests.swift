import BinderyCore
import BinderyModelFile
import BindingLaws
import Testing

/// Random declarations of models.
private struct DeclarationGenerator {
  var random: SeededGenerator
  var definitions: [ModelDeclaration.Definition] = []

  mutating func model() -> ModelDeclaration {
    definitions = []
    let root = structure(depth: 0, hasID: false)
    return ModelDeclaration(root: SchemaDeclaration(.structure(root)), definitions: definitions)
  }

  private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: choices.indices, using: &random)] }

  private mutating func structure(depth: Int, hasID: Bool) -> StructDeclaration {
    var members: [MemberDeclaration] = []
    if hasID {
      var id = MemberDeclaration(
        "id", .stored(SchemaDeclaration(.scalar(ScalarDeclaration(pick([.string, .integer, .uuid, .date]))))))
      id.isRequired = true
      members.append(id)
    }
    for name in ["a", "b/c", "d~", "é"].prefix(Int.random(in: 1...4, using: &random)) {
      var member = MemberDeclaration(name, .stored(schema(depth: depth + 1)))
      member.isRequired = true
      if Int.random(in: 0..<6, using: &random) == 0 {
        member.notes = Notes(title: "T", description: "*/ </script> `${")
      }
      members.insert(member, at: Int.random(in: 0...members.count, using: &random))
    }
    if !hasID {
      members.append(MemberDeclaration("first", .computed(.alias(PlaceDeclaration([members[0].name])))))
    }
    return StructDeclaration(members: members, identity: hasID ? "id" : nil)
  }

  private mutating func schema(depth: Int) -> SchemaDeclaration {
    if depth > 3 || Int.random(in: 0..<3, using: &random) == 0 { return SchemaDeclaration(.scalar(scalar())) }
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
      return SchemaDeclaration(.collection(define(.structure(structure(depth: depth, hasID: true))), CountLimits()))
    case 7: return SchemaDeclaration(.dictionary(schema(depth: depth + 1), pick(KeyKind.allCases), CountLimits()))
    default:
      var cases = [CaseDeclaration("none"), CaseDeclaration("one", schema(depth: depth + 1))]
      if case .structure? = cases[1].payload?.kind {
        cases[1].payload = define(.structure(structure(depth: depth, hasID: false)))
      }
      cases.append(CaseDeclaration("labels", SchemaDeclaration(.structure(labels(depth: depth)))))
      return SchemaDeclaration(.union(cases))
    }
  }

  private mutating func labels(depth: Int) -> StructDeclaration {
    let names = ["x", "y"].prefix(Int.random(in: 1...2, using: &random))
    return StructDeclaration(
      members: names.map { name in
        var member = MemberDeclaration(name, .stored(schema(depth: depth + 1)))
        member.isRequired = true
        return member
      })
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
    case (.string, 1): scalar.values = ["\"a\"", "\"b c\"", "\"é\""]
    case (.string, 2): (scalar.characters, scalar.isNotBlank) = (CountLimits(minimum: 1, maximum: 90), true)
    case (.base64, 0): scalar.length = CountLimits(minimum: 0, maximum: 40)
    default: break
    }
    return scalar
  }
}

struct GeneratedModelTests {
  @Test func `the laws hold for generated model files`() throws {
    var generator = DeclarationGenerator(random: SeededGenerator(seed: 7))
    var checks: [Law: Int] = [:]
    for number in 0..<120 {
      let declaration = generator.model()
      let text = ModelFile.text(of: declaration)
      let parsed = try ModelFile.parse(text)
      #expect(parsed == declaration, "model \(number): \(String(decoding: text, as: UTF8.self))")
      let model = try ModelFile.model(text)
      #expect(model.definition.described == declaration)
      let report = lawReport(of: model.definition.shape, rounds: 4, using: &generator.random)
      for violation in report.violations {
        Issue.record("model \(number): \(violation)\n\(String(decoding: text, as: UTF8.self))")
      }
      guard report.violations.isEmpty else { return }
      checks.merge(report.checkCounts) { $0 + $1 }
    }
    for law in Law.allCases { #expect(checks[law, default: 0] > 20, "the \(law) law was checked at most 20 times") }
  }
}
