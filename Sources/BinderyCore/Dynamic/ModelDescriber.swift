import BinderyJSON

extension ModelDefinition {
  /// The declaration of the model, as a model file contains it. Parts that need Swift code are marked as such.
  package var described: ModelDeclaration {
    if let declaration { return declaration }
    var describer = ModelDescriber()
    var root = describer.inline(shape.type)
    root.notes.title = root.notes.title ?? shape.type.name
    return ModelDeclaration(root: root, definitions: describer.definitions)
  }
}

/// Describes the types of a model in Swift as a model file does.
private struct ModelDescriber {
  private(set) var definitions: [ModelDeclaration.Definition] = []

  /// Returns the declaration of a type: a reference, if the type has a name of its own.
  private mutating func schema(_ type: TypeInfo) -> SchemaDeclaration {
    switch type.kind {
    case .scalar(let scalar) where scalar.values.isEmpty: return inline(type)
    case .product, .sum, .scalar:
      let schema = inline(type)
      let base = type.name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      var name = base
      var number = 2
      while let other = definitions.first(where: { $0.name == name }) {
        if other.schema == schema { return SchemaDeclaration(.reference(name)) }
        name = "\(base)\(number)"
        number += 1
      }
      definitions.append(ModelDeclaration.Definition(name: name, schema: schema))
      return SchemaDeclaration(.reference(name))
    default: return inline(type)
    }
  }

  /// Returns the declaration of a type in place.
  mutating func inline(_ type: TypeInfo) -> SchemaDeclaration {
    let kind: SchemaDeclaration.Kind =
      switch type.kind {
      case .scalar(let scalar): self.scalar(scalar, type)
      case .product(let product): .structure(structure(product))
      case .sum(let cases): .union(cases.map { enumCase($0) })
      case .optional(let wrapped): .optional(schema(wrapped))
      case .elements(let element, _): .collection(schema(element), CountLimits(type.rules))
      case .array(let element): .list(schema(element), CountLimits(type.rules))
      case .set(let element): .set(schema(element), CountLimits(type.rules))
      case .dictionary(let value, let key):
        .dictionary(schema(value), KeyKind(key.type) ?? .string, CountLimits(type.rules))
      }
    return SchemaDeclaration(kind, notes: type.notes)
  }

  private mutating func structure(_ product: ProductInfo) -> StructDeclaration {
    var members: [MemberDeclaration] = []
    for member in product.members where member.role != .hidden {
      let schema = schema(member.type)
      guard !member.isComputed else {
        members.append(MemberDeclaration(member.name, .compiled(schema, isReadOnly: !member.isWritable)))
        continue
      }
      var declaration = MemberDeclaration(member.name, .stored(schema))
      declaration.isReadOnly = member.role == .readOnly
      declaration.isGenerated = member.role == .identity && member.hasDefault
      declaration.omitsNull = member.omitsNull
      declaration.isRequired = !member.hasDefault
      if member.role != .identity { declaration.fallback = member.defaultJSON.map { ConstantDeclaration($0()) } }
      declaration.notes = member.notes
      members.append(declaration)
    }
    return StructDeclaration(
      members: members, identity: product.identity.map { product.members[$0].name }, isOpen: product.isOpen)
  }

  private mutating func enumCase(_ info: CaseInfo) -> CaseDeclaration {
    CaseDeclaration(info.name, info.payload.map { info.isLabelled ? inline($0) : schema($0) })
  }

  private func scalar(_ scalar: Scalar, _ type: TypeInfo) -> SchemaDeclaration.Kind {
    guard scalar.type != nil else { return .any }
    var declaration = ScalarDeclaration(scalar.form ?? .string)
    var rules = type.rules
    if !scalar.values.isEmpty, declaration.form == .string || declaration.form == .integer {
      declaration.values = scalar.values
    } else if scalar.isCustom || scalar.form == nil {
      declaration.code = "the type \(type.name)"
    }
    declaration.takeLimits(&rules)
    if !rules.isEmpty, declaration.code == nil { declaration.code = "a condition on \(type.name)" }
    return .scalar(declaration)
  }
}

extension Scalar {
  /// The form of a scalar in a model file; nil if there is none.
  fileprivate var form: ScalarDeclaration.Form? {
    switch (type, format ?? contentEncoding) {
    case ("boolean", nil): .boolean
    case ("integer", "int64"): .integer
    case ("number", "double"): .number
    case ("number", "float"): .float
    case ("string", nil) where pattern == nil: .string
    case ("string", "uuid"): .uuid
    case ("string", "date-time"): .dateTime
    case ("string", "date"): .date
    case ("string", "duration"): .duration
    case ("string", "uri"): .uri
    case ("string", "base64"): .base64
    default: nil
    }
  }
}

extension KeyKind {
  /// Creates the kind of keys of a type; nil if a model file has no such keys.
  init?(_ type: TypeInfo) {
    guard case .scalar(let scalar) = type.kind else { return nil }
    switch scalar.form {
    case .string: self = .string
    case .integer: self = .integer
    case .uuid: self = .uuid
    case .date: self = .date
    default: return nil
    }
  }
}

extension CountLimits {
  fileprivate init(_ rules: [Rule]) {
    self.init()
    for rule in rules {
      if case .minimumCount(let count) = rule { minimum = count }
      if case .maximumCount(let count) = rule { maximum = count == .max ? nil : count }
    }
  }
}

extension ScalarDeclaration {
  /// Takes the limits that model files can express out of some rules.
  fileprivate mutating func takeLimits(_ rules: inout [Rule]) {
    func take(_ known: [Rule]) -> Bool {
      guard known.allSatisfy(rules.contains) else { return false }
      rules.removeAll(where: known.contains)
      return true
    }
    isNotBlank = form == .string && take(Constraint<String>.notBlank.rules)
    hasNoControlCharacters = form == .string && take(Constraint<String>.noControlCharacters.rules)
    rules.removeAll { rule in
      switch rule {
      case .minimum(let bound): minimum = bound
      case .maximum(let bound): maximum = bound
      case .minimumLength(let count): characters.minimum = count
      case .maximumLength(let count): characters.maximum = count
      case .minimumCodePoints(let count): length.minimum = count
      case .maximumCodePoints(let count): length.maximum = count
      case .maximumBytes(let count): maximumBytes = count
      case .minimumCount(let count) where form == .base64: length.minimum = count
      case .maximumCount(let count) where form == .base64: length.maximum = count
      // The limits in words.
      case .described(let text) where form == .base64 && text.hasPrefix("data of "): break
      default: return false
      }
      return true
    }
  }
}
