import BinderyCore

/// Makes JSON of any shape: mostly what fits, and of that the nasty sort.
struct Generator<Random: RandomNumberGenerator> {
  var random: Random

  mutating func chance(_ numerator: Int, of denominator: Int) -> Bool {
    Int.random(in: 0..<denominator, using: &random) < numerator
  }

  mutating func pick<T>(_ choices: [T]) -> T? { choices.randomElement(using: &random) }

  /// A value of a type, without computed members.
  mutating func value(of type: TypeInfo) -> JSONTree {
    switch type.kind {
    case .scalar(let scalar): return self.scalar(scalar, type.rules)
    case .product(let product):
      return .object(
        product.members.filter { !$0.isComputed && $0.role != .hidden }
          .map { JSONTree.Field(name: $0.name, value: value(of: $0.type)) })
    case .sum(let cases):
      guard let one = pick(cases) else { return .null }
      return one.payload.map { .object(one.name, value(of: $0)) } ?? .string(one.name)
    case .optional(let wrapped):
      if chance(1, of: 3) { return .null }
      guard case .optional = wrapped.kind else { return value(of: wrapped) }
      return .object("some", value(of: wrapped))
    case .array(let element):
      return .array(count(type.rules).map { _ in value(of: element) })
    case .elements(let element, let key):
      return .array(distinct(count(type.rules).map { _ in value(of: element) }, element, key))
    case .dictionary(let part, let key):
      // A Swift dictionary cannot hold keys that differ in normalization only.
      let names = Set(count(type.rules).map { _ in self.key(key) })
      return .object(
        names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
          .map { JSONTree.Field(name: $0, value: value(of: part)) })
    }
  }

  /// The text of an id or a dictionary key.
  mutating func key(_ key: KeyInfo) -> String { value(of: key.type).keyText ?? "" }

  private mutating func count(_ rules: [Rule]) -> Range<Int> {
    var (least, most) = (0, 4)
    for rule in rules {
      if case .minimumCount(let count) = rule { least = count }
      if case .maximumCount(let count) = rule { most = min(most, count) }
    }
    return 0..<Int.random(in: least...max(least, most), using: &random)
  }

  private func distinct(_ elements: [JSONTree], _ type: TypeInfo, _ key: KeyInfo) -> [JSONTree] {
    var seen: Set<[UInt8]> = []
    return elements.filter { element in
      guard let id = element.id(as: type) else { return true }
      return seen.insert(Array(id.utf8)).inserted
    }
  }

  // MARK: Scalars

  private mutating func scalar(_ scalar: Scalar, _ rules: [Rule]) -> JSONTree {
    switch (scalar.type, scalar.format) {
    case ("boolean", nil): return .bool(chance(1, of: 2))
    case ("integer", "int64"): return .number(String(integer(rules)))
    case ("number", "double"): return .number(pick(Nasty.numbers) ?? "0")
    case ("string", "uuid"): return .string(pick(Nasty.uuids) ?? "")
    case ("string", "date-time"): return .string(pick(Nasty.times) ?? "")
    case ("string", "date"): return .string(pick(Nasty.days) ?? "")
    case ("string", nil) where scalar.pattern == nil: return .string(text(rules))
    default: return JSONTree(parsing: scalar.example) ?? .null
    }
  }

  private mutating func integer(_ rules: [Rule]) -> Int {
    var (least, most) = (Int.min, Int.max)
    for rule in rules {
      if case .minimum(let bound) = rule { least = bound }
      if case .maximum(let bound) = rule { most = bound }
    }
    if chance(1, of: 20) { return pick(Nasty.integers) ?? 0 }
    let fitting = (Nasty.integers + [least, most]).filter { $0 >= least && $0 <= most }
    return pick(fitting) ?? least
  }

  private mutating func text(_ rules: [Rule]) -> String {
    // What a pattern or a rule in words refuses is not known here, so that the tame ones are asked more often.
    guard !rules.isEmpty else { return pick(Nasty.strings) ?? "" }
    let candidates = chance(1, of: 4) ? Nasty.strings : Nasty.tame
    let fitting = candidates.filter { text in
      rules.allSatisfy { rule in
        switch rule {
        case .minimumLength(let least): text.count >= least
        case .maximumLength(let most): text.count <= most
        case .maximumBytes(let most): text.utf8.count <= most
        default: true
        }
      }
    }
    return pick(chance(1, of: 20) ? candidates : fitting) ?? "a"
  }
}

extension JSONTree {
  init?(parsing text: String) {
    guard let tree = JSONTree(parsing: Array(text.utf8)) else { return nil }
    self = tree
  }

  /// The text of a scalar as an id or a key has it.
  var keyText: String? {
    switch self {
    case .string(let text), .number(let text): text
    default: nil
    }
  }

  /// The id of an element, where a member holds it.
  func id(as type: TypeInfo) -> String? {
    guard case .product(let product) = type.kind, let identity = product.identity else { return nil }
    return self[product.members[identity].name]?.keyText
  }
}
