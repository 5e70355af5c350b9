import BinderyCore
import BinderyJSON

extension SchemaParser {
  /// Reads a member of a struct.
  mutating func member(_ name: String, _ node: JSONNode, at pointer: String, isRequired: Bool) -> MemberDeclaration {
    guard node.bool != true else {
      var member = MemberDeclaration(name, .stored(SchemaDeclaration(.any, at: pointer)), at: pointer)
      member.isRequired = isRequired
      return member
    }
    let fields = Fields(node, at: pointer, &mistakes)
    let notes = notes(fields)
    let isReadOnly = flag("readOnly", of: fields)
    let fallback = fields.take("default").map { ConstantDeclaration($0.compacted, at: fields.place("default")) }
    let isGenerated = fields.own.map { flag("generated", of: $0) } ?? false
    let omitsNull = fields.own.map { flag("omitNull", of: $0) } ?? false
    var member = MemberDeclaration(name, source(fields, isReadOnly: isReadOnly), at: pointer)
    member.notes = notes
    if case .compiled = member.source {} else { member.isReadOnly = isReadOnly }
    member.fallback = fallback
    member.isGenerated = isGenerated
    member.omitsNull = omitsNull
    member.isRequired = isRequired
    check(member, fields)
    return member
  }

  private mutating func source(_ fields: Fields, isReadOnly: Bool) -> MemberDeclaration.Source {
    guard let own = fields.own else { return .stored(schema(fields)) }
    // Swift code computes a member of any type, while that of an optic follows from its declaration.
    if !fields.has("type") || own.peek("swift")?.string == Self.computedBySwift {
      if own.peek("swift")?.string == Self.computedBySwift {
        _ = own.take("swift")
        return .compiled(schema(fields), isReadOnly: isReadOnly)
      }
      if let optic = optic(own) {
        mistakes += fields.remaining(in: "a computed member")
        return optic
      }
    }
    return .stored(schema(fields))
  }

  /// The mark of a member that is computed by Swift code.
  static var computedBySwift: String { "computed" }

  private mutating func check(_ member: MemberDeclaration, _ fields: Fields) {
    guard case .stored = member.source else {
      if member.fallback != nil { fail("a computed member has no default", at: fields.place("default")) }
      if member.isRequired { fail("“\(member.name)” is computed, so it cannot be required", at: fields.pointer) }
      if member.isGenerated { fail("“generated” applies to stored ids", at: fields.pointer) }
      if member.omitsNull { fail("“omitNull” applies to stored members", at: fields.pointer) }
      if case .compiled = member.source { return }
      if member.isReadOnly {
        fail("the declaration of a computed member decides whether it is read-only", at: fields.place("readOnly"))
      }
      return
    }
    if member.isRequired, member.fallback != nil || member.isGenerated {
      let reason = member.isGenerated ? "is generated" : "has a default"
      fail("“\(member.name)” \(reason), so it cannot be required", at: fields.pointer)
    }
    if member.omitsNull, member.isRequired || member.fallback != nil {
      fail("“\(member.name)” is left out when it is null, so it is not required and has no default", at: fields.pointer)
    }
    if member.isGenerated, member.fallback != nil {
      fail("a generated id has no default", at: fields.place("default"))
    }
  }

  // MARK: Optics

  private mutating func optic(_ own: Fields) -> MemberDeclaration.Source? {
    let byPlace: KeyValuePairs<String, (PlaceDeclaration) -> MemberDeclaration.Source> = [
      "alias": { .computed(.alias($0)) }, "count": { .computed(.count($0)) }, "remembered": { .remembered($0) },
    ]
    for (name, source) in byPlace {
      if let node = own.take(name) { return place(node, own.place(name)).map(source) ?? broken(own) }
    }
    if let node = own.take("lookup") {
      let fields = Fields(node, at: own.place("lookup"), &mistakes)
      let (source, key) = (place("in", of: fields), place("by", of: fields))
      mistakes += fields.remaining(in: "a lookup")
      guard let source, let key else { return broken(own) }
      return .computed(.lookup(in: source, by: key))
    }
    if let node = own.take("orDefault") {
      let fields = Fields(node, at: own.place("orDefault"), &mistakes)
      let (source, value) = (place("of", of: fields), constant("value", of: fields))
      mistakes += fields.remaining(in: "a default")
      guard let source, let value else { return broken(own) }
      return .computed(.orDefault(of: source, value: value))
    }
    if let node = own.take("filter") {
      let fields = Fields(node, at: own.place("filter"), &mistakes)
      let (source, member) = (place("in", of: fields), place("where", of: fields))
      let value = constant("equals", of: fields)
      mistakes += fields.remaining(in: "a filter")
      guard let source, let member, let value else { return broken(own) }
      return .computed(.filter(in: source, member: member, equals: value))
    }
    if let node = own.take("label") { return label(node, own) }
    return nil
  }

  private mutating func label(_ node: JSONNode, _ own: Fields) -> MemberDeclaration.Source {
    let fields = Fields(node, at: own.place("label"), &mistakes)
    let (source, otherwise) = (place("of", of: fields), text("otherwise", of: fields))
    var texts: [OpticDeclaration.Text] = []
    if let table = fields.take("texts") {
      if table.kind != .object { fail("expected an object of texts", at: fields.place("texts")) }
      var seen: Set<[UInt8]> = []
      for (key, value) in table.members {
        let name = key.string ?? ""
        let pointer = fields.place("texts") + "/" + Pointer.escaped(name)
        if !seen.insert(Array(name.utf8)).inserted { fail("duplicate value “\(name)”", at: pointer) }
        if value.string == nil { fail("expected a string, got \(value.excerpt(maximum: 40))", at: pointer) }
        texts.append(OpticDeclaration.Text(value: name, text: value.string ?? ""))
      }
    }
    mistakes += fields.remaining(in: "a label")
    guard let source else { return broken(own) }
    return .computed(.label(of: source, texts: texts, otherwise: otherwise))
  }

  /// The source of a member after a mistake.
  private func broken(_ own: Fields) -> MemberDeclaration.Source {
    .stored(SchemaDeclaration(.any, at: own.pointer))
  }

  /// Takes a value.
  private mutating func constant(_ name: String, of fields: Fields) -> ConstantDeclaration? {
    guard let node = fields.take(name) else {
      fail("“\(name)” is missing", at: fields.pointer)
      return nil
    }
    return ConstantDeclaration(node.compacted, at: fields.place(name))
  }

  /// Takes the pointer of a place in the state.
  mutating func place(_ name: String, of fields: Fields) -> PlaceDeclaration? {
    guard let node = fields.take(name) else {
      fail("“\(name)” is missing: expected a pointer such as /name", at: fields.pointer)
      return nil
    }
    return place(node, fields.place(name))
  }

  private mutating func place(_ node: JSONNode, _ pointer: String) -> PlaceDeclaration? {
    guard let text = node.string, let segments = Pointer.segments(of: text), !segments.isEmpty else {
      fail("expected a pointer such as /name, got \(node.excerpt(maximum: 40))", at: pointer)
      return nil
    }
    return PlaceDeclaration(segments, at: pointer)
  }

  /// Takes a reference to a collection.
  mutating func reference(_ fields: Fields) -> ReferenceDeclaration? {
    guard let own = fields.own, let node = own.take("reference") else { return nil }
    let reference = Fields(node, at: own.place("reference"), &mistakes)
    let target = place("to", of: reference)
    var removal = ReferenceDeclaration.Removal.refuse
    if let text = text("onRemoval", of: reference) {
      if let known = ReferenceDeclaration.Removal(rawValue: text) {
        removal = known
      } else {
        fail("expected “clear”, “refuse” or “cascade”, got “\(text)”", at: reference.place("onRemoval"))
      }
    }
    mistakes += reference.remaining(in: "a reference")
    return target.map { ReferenceDeclaration(target: $0, onRemoval: removal) }
  }
}
