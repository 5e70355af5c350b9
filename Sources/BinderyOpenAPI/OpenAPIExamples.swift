import BinderyAPI
import BinderyCore
import BinderyJSON

/// Example values for all types, taken from one example of the whole state.
struct OpenAPIExamples: Sendable {
  /// The first value found for each type, by type signature.
  private var values: [String: JSONTree] = [:]

  init(_ type: TypeInfo, _ value: JSONTree) { collect(type, value) }

  private mutating func collect(_ type: TypeInfo, _ value: JSONTree) {
    if value == .null { return }
    let signature = type.signature
    if values[signature] == nil { values[signature] = value }
    _ = value.mapParts(of: type) { part, partType in
      collect(partType, part)
      return part
    }
  }

  /// Returns an example of the type as `GET` returns it: a value of the state, or a default derived from the type.
  func value(of type: TypeInfo) -> JSONTree { values[type.signature] ?? defaultValue(of: type) }

  private func defaultValue(of type: TypeInfo) -> JSONTree {
    switch type.kind {
    case .scalar(let scalar): fitted(JSONTree(json: Array(scalar.example.utf8)), scalar, type.rules)
    case .product(let product):
      .object(product.members.filter { $0.role != .hidden }.map { .init(key: $0.name, value: value(of: $0.type)) })
    case .sum(let cases): cases.first.map(defaultValue) ?? .null
    case .optional(let wrapped):
      if case .optional = wrapped.kind { ["some": value(of: wrapped)] } else { value(of: wrapped) }
    case .elements(let element, _), .set(let element): type.rules.minimumCount > 0 ? [value(of: element)] : []
    case .array(let element):
      .array(Array(repeating: value(of: element), count: min(type.rules.minimumCount, Self.longestArray)))
    case .dictionary: [:]
    }
  }

  private func defaultValue(of enumCase: CaseInfo) -> JSONTree {
    guard let payload = enumCase.payload else { return .string(enumCase.name) }
    return .object([.init(key: enumCase.name, value: value(of: payload))])
  }

  private static let longestArray = 3

  /// Returns a number or text, or another one that the rules allow.
  private func fitted(_ value: JSONTree, _ scalar: Scalar, _ rules: [Rule]) -> JSONTree {
    if case .string(let text) = value, scalar.isText { return .string(rules.fitted(text)) }
    guard case .number(let text) = value else { return value }
    let limits = NumberLimits(rules)
    if limits.contain(text) { return value }
    return limits.examples.first(where: limits.contain).map(JSONTree.number) ?? value
  }
}

extension [Rule] {
  /// The least number of elements that the rules allow.
  fileprivate var minimumCount: Int {
    reduce(0) { minimum, rule in
      if case .minimumCount(let count) = rule { Swift.max(minimum, count) } else { minimum }
    }
  }

  /// Returns a text with a length that the rules allow. It ignores patterns, and adds at most 1,000 characters.
  fileprivate func fitted(_ text: String) -> String {
    var (minimum, maximum) = (0, Int.max)
    for rule in self {
      switch rule {
      case .minimumLength(let length), .minimumCodePoints(let length): minimum = Swift.max(minimum, length)
      case .maximumLength(let length), .maximumCodePoints(let length), .maximumBytes(let length):
        maximum = Swift.min(maximum, length)
      default: continue
      }
    }
    let missing = Swift.min(minimum - text.count, 1_000)
    return missing > 0 ? text + String(repeating: "x", count: missing) : String(text.prefix(maximum))
  }
}

extension Scalar {
  /// Whether the values are texts without a format.
  fileprivate var isText: Bool {
    type == "string" && format == nil && contentEncoding == nil && values.isEmpty && !isCustom
  }
}

extension OpenAPISchemaVariant {
  /// Returns the part of a `GET` value that a request for this variant contains.
  func part(of value: JSONTree, _ type: TypeInfo) -> JSONTree {
    if self == .read || value == .null { return value }
    if case .product(let product) = type.kind { return .object(members(of: value, product)) }
    let variant = partVariant(of: type)
    return value.mapParts(of: type) { variant.part(of: $0, $1) }
  }

  /// The variant of the parts of a value that is no struct.
  private func partVariant(of type: TypeInfo) -> OpenAPISchemaVariant {
    switch type.kind {
    case .elements, .array, .set: elementVariant
    case .dictionary: entryVariant
    // A value that replaces null needs its id.
    case .optional(let wrapped) where self == .put && !wrapped.isOptional && !type.isFixed: .whole
    case .scalar, .product, .sum, .optional: self
    }
  }

  private func members(of value: JSONTree, _ product: ProductInfo) -> [JSONTree.Member] {
    if self == .put { return OpenAPISchemaVariant.replacement.members(of: value, product) }
    return exampleMembers(product).compactMap { member in
      guard let variant = memberVariant(of: member, in: product), let part = value[member.name] else { return nil }
      return .init(key: member.name, value: variant.part(of: part, member.type))
    }
  }

  /// Returns the members that an example of this variant contains.
  private func exampleMembers(_ product: ProductInfo) -> [MemberInfo] {
    switch self {
    case .merge:
      let writable = product.members.filter(\.isWritable)
      return (writable.first { $0.type.isSmall } ?? writable.first).map { [$0] } ?? []
    case .replacement, .put: return product.members.filter { $0.role == .stored }
    // The server generates an id that has a default.
    case .new: return product.members.filter { !$0.isComputed && !($0.role == .identity && $0.hasDefault) }
    case .read, .whole, .identified: return product.members.filter { !$0.isComputed }
    }
  }
}

extension TypeInfo {
  /// Whether the JSON of the type fits on one line.
  fileprivate var isSmall: Bool {
    switch kind {
    case .scalar, .sum: true
    case .optional(let wrapped): wrapped.isSmall
    case .product, .elements, .array, .set, .dictionary: false
    }
  }
}
