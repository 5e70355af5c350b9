package import BinderyJSON

/// A model that is known only at run time, such as one from a model file.
package struct DynamicModel: Sendable {
  /// The maximum number of levels of a model.
  package static var maximumDepth: Int { ModelBuilder.maximumDepth }

  /// The declaration in the model file.
  package let declaration: ModelDeclaration
  /// The model of a store.
  package let definition: ModelDefinition<DynamicValue>

  /// Creates a model.
  ///
  /// - Throws: ``ModelMistakes`` if the declaration is not a valid model.
  package init(_ declaration: ModelDeclaration) throws(ModelMistakes) {
    if let mistake = declaration.referenceMistake { throw ModelMistakes([mistake]) }
    guard case .structure(let root) = declaration.root.kind else {
      throw ModelMistakes([ModelMistake("expected an object with properties", at: declaration.root.pointer)])
    }
    var builder = ModelBuilder(declaration)
    let shape = builder.shape(of: declaration.root, named: "State")
    // Those that nothing refers to may also contain mistakes.
    for definition in declaration.definitions { _ = builder.definition(definition.name) }
    // The rules only make sense for a model without mistakes.
    let rules = builder.mistakes.isEmpty ? builder.rules(of: root) : []
    guard builder.mistakes.isEmpty else { throw ModelMistakes(builder.mistakes.unique) }
    self.declaration = declaration
    let settle: @Sendable (inout DynamicValue, DynamicValue?) throws(InvalidState) -> Void = {
      [rules = rules.map(\.apply)] draft, base throws(InvalidState) in
      for apply in rules { try apply(&draft, base) }
    }
    definition = ModelDefinition(
      shape, declaration: declaration, references: rules.compactMap(\.reference),
      settle: { draft, base throws(InvalidState) in try settle(&draft, base) },
      settleWhole: { root throws(InvalidState) in try settle(&root, nil) },
      findDangling: { [rules = rules.compactMap(\.findDangling)] root, found in
        for find in rules { find(root, found) }
      })
  }

  /// Returns the state of a new store.
  ///
  /// - Parameter data: The state in JSON; members that it omits take their defaults. By default the one of the
  ///   declaration.
  /// - Throws: ``ModelMistakes``, with pointers into the model file, or into `data` if it is given.
  package func initialState(_ data: JSONNode? = nil) throws(ModelMistakes) -> DynamicValue {
    do throws(RestoreError) {
      let node: JSONNode
      if let data { node = data } else { node = try StoredPatch.parse(declaration.initial?.json ?? Array("{}".utf8)) }
      var root: DynamicValue
      var decoding = Decoding(.creating)
      do throws(ValidationError) { root = try definition.shape.decode(node, &decoding) } catch {
        throw RestoreError(error.detail, at: error.pointer)
      }
      do throws(InvalidState) {
        try definition.settle(whole: &root)
      } catch { throw RestoreError(error.message, at: error.pointer) }
      return root
    } catch {
      if data != nil { throw ModelMistakes([ModelMistake(error.reason, at: error.pointer)]) }
      if let initial = declaration.initial {
        throw ModelMistakes([ModelMistake(error.reason, at: initial.pointer + error.pointer)])
      }
      // The mistake is in no value of the file, so its place is that of the member.
      let member = error.pointer.split(separator: "/").first.map { "/properties/\($0)" } ?? ""
      throw ModelMistakes([ModelMistake("\(error.reason); a new store needs a “default” at the root", at: member)])
    }
  }
}

extension ModelDeclaration {
  /// The first reference to a definition that does not exist or contains itself, or the place at which the model gets
  /// too large; nil if there is none.
  var referenceMistake: ModelMistake? {
    var walk = ReferenceWalk(definitions: Dictionary(definitions.map { ($0.name, $0.schema) }) { first, _ in first })
    do throws(ModelMistake) {
      _ = try walk.members(of: root, depth: 0)
      for definition in definitions {
        _ = try walk.members(of: definition.name, at: definition.schema.pointer, depth: 0)
      }
    } catch { return error }
    return nil
  }
}

/// Counts the members of all types, and finds references that lead nowhere or in circles.
private struct ReferenceWalk {
  /// The members and the levels of a type.
  struct Size {
    var members = 0
    var levels = 0
  }

  let definitions: [String: SchemaDeclaration]
  private var sizes: [String: Size] = [:]
  private var open: [String] = []

  init(definitions: [String: SchemaDeclaration]) { self.definitions = definitions }

  mutating func members(of name: String, at pointer: String, depth: Int) throws(ModelMistake) -> Size {
    if let size = sizes[name] { return size }
    if let last = open.last, open.contains(name) {
      let way = last == name ? "" : ", through “\(last)”"
      throw ModelMistake(
        "“\(name)” contains itself\(way): a model cannot be recursive; refer to other elements by id", at: pointer)
    }
    guard let schema = definitions[name] else {
      throw ModelMistake("there is no definition “\(name)” in “$defs”", at: pointer)
    }
    open.append(name)
    defer { open.removeLast() }
    let size = try members(of: schema, depth: depth)
    sizes[name] = size
    return size
  }

  mutating func members(of schema: SchemaDeclaration, depth: Int) throws(ModelMistake) -> Size {
    guard depth < ModelBuilder.maximumDepth else { throw tooDeep(schema.pointer) }
    var size = Size()
    func add(_ part: Size) {
      size.members = min(size.members + part.members, ModelBuilder.maximumMembers + 1)
      size.levels = max(size.levels, part.levels)
    }
    switch schema.kind {
    case .any, .scalar: break
    case .reference(let name): add(try members(of: name, at: schema.pointer, depth: depth + 1))
    case .structure(let structure):
      for member in structure.members {
        if let schema = self.schema(of: member, in: structure) { add(try members(of: schema, depth: depth + 1)) }
        add(Size(members: 1))
      }
    case .union(let cases):
      for enumCase in cases {
        if let payload = enumCase.payload { add(try members(of: payload, depth: depth + 1)) }
        add(Size(members: 1))
      }
    case .optional(let part), .list(let part, _), .set(let part, _), .collection(let part, _),
      .dictionary(let part, _, _):
      add(try members(of: part, depth: depth + 1))
    }
    size.levels += 1
    guard depth + size.levels <= ModelBuilder.maximumDepth else { throw tooDeep(schema.pointer) }
    guard size.members <= ModelBuilder.maximumMembers else {
      throw ModelMistake(
        "the model has more than \(ModelBuilder.maximumMembers) members, those of definitions and aliases at each use",
        at: schema.pointer)
    }
    return size
  }

  /// Returns the type of the value that a member stores or shows; nil if no paths lead below it.
  ///
  /// - Parameter optics: The number of computed members that led to this one.
  private func schema(
    of member: MemberDeclaration, in structure: StructDeclaration, optics: Int = 0
  ) -> SchemaDeclaration? {
    switch member.source {
    case .stored(let schema): schema
    case .computed(.alias(let place)), .computed(.orDefault(let place, _)), .computed(.lookup(let place, _)),
      .remembered(let place):
      schema(at: place, in: structure, optics: optics + 1)
    case .computed(.count), .computed(.filter), .computed(.label), .compiled: nil
    }
  }

  /// Returns the type at a place; nil after a mistake, which the builder reports.
  private func schema(at place: PlaceDeclaration, in structure: StructDeclaration, optics: Int) -> SchemaDeclaration? {
    guard optics <= ModelBuilder.maximumOptics else { return nil }
    var schema = SchemaDeclaration(.structure(structure), at: place.pointer)
    for name in place.segments {
      var part: SchemaDeclaration?
      switch definitions.resolved(schema).kind {
      case .structure(let structure):
        part = structure.member(named: name).flatMap { self.schema(of: $0, in: structure, optics: optics) }
      case .union(let cases): part = cases.first { $0.name.isSame(as: name) }?.payload
      default: return nil
      }
      guard let part else { return nil }
      schema = part
    }
    return schema
  }

  private func tooDeep(_ pointer: String) -> ModelMistake {
    ModelMistake("the model has more than \(ModelBuilder.maximumDepth) levels", at: pointer)
  }
}

extension [String: SchemaDeclaration] {
  /// Returns the type of a declaration, with references to these definitions followed, unless they are circular.
  package func resolved(_ schema: SchemaDeclaration) -> SchemaDeclaration {
    var schema = schema
    for _ in 0...count {
      guard case .reference(let name) = schema.kind, let target = self[name] else { break }
      schema = target
    }
    return schema
  }
}

extension [ModelMistake] {
  /// The mistakes without repetitions, in their order.
  fileprivate var unique: [ModelMistake] {
    var seen: Set<ModelMistake> = []
    return filter { seen.insert($0).inserted }
  }
}
