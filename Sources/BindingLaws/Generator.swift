import BinderyCore
import BinderyJSON

/// A generator of random JSON values for a type, with a preference for edge cases.
///
/// Most values satisfy the type's constraints; some violate them on purpose.
struct Generator<Random: RandomNumberGenerator> {
  var random: Random

  /// Returns true with the given probability.
  mutating func chance(_ numerator: Int, of denominator: Int) -> Bool {
    Int.random(in: 0..<denominator, using: &random) < numerator
  }

  /// Returns a random element.
  mutating func pick<T>(_ choices: [T]) -> T? { choices.randomElement(using: &random) }

  /// Returns a random value of a type, without computed members.
  mutating func value(of type: TypeInfo) -> JSONTree {
    switch type.kind {
    case .scalar(let scalar): return self.scalar(scalar, type.rules)
    case .product(let product):
      return .object(
        product.members.filter { !$0.isComputed && $0.role != .hidden }
          .map { JSONTree.Member(key: $0.name, value: value(of: $0.type)) })
    case .sum(let cases):
      guard let chosen = pick(cases) else { return .null }
      return chosen.payload.map { .object(chosen.name, value(of: $0)) } ?? .string(chosen.name)
    case .optional(let wrapped):
      if chance(1, of: 3) { return .null }
      guard case .optional = wrapped.kind else { return value(of: wrapped) }
      return .object("some", value(of: wrapped))
    case .array(let element):
      return .array(count(type.rules).map { _ in value(of: element) })
    case .set(let element):
      // Most spellings of equal elements differ only in the case of letters.
      var seen: Set<String> = []
      return .array(
        count(type.rules).map { _ in value(of: element) }.filter { seen.insert($0.text.lowercased()).inserted })
    case .elements(let element, let key):
      return .array(distinct(count(type.rules).map { _ in value(of: element) }, element, key))
    case .dictionary(let element, let key):
      // A Swift dictionary cannot contain keys that differ only in Unicode normalization.
      let names = Set(count(type.rules).map { _ in self.key(key) })
      return .object(
        names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
          .map { JSONTree.Member(key: $0, value: value(of: element)) })
    }
  }

  /// Returns the text of a random id or dictionary key.
  mutating func key(_ key: KeyInfo) -> String {
    let json = value(of: key.type)
    guard let text = key.text(ofJSON: json.text) else { return "" }
    // Another spelling of the text, such as a UUID in upper case.
    if case .string(let spelling) = json, key.parse(spelling.utf8.span)?.text.isSame(as: text) == true {
      return spelling
    }
    return text
  }

  /// Returns a random number of elements as a range from zero.
  private mutating func count(_ rules: [Rule]) -> Range<Int> {
    var (minimum, maximum) = (0, 4)
    for rule in rules {
      if case .minimumCount(let count) = rule { minimum = count }
      if case .maximumCount(let count) = rule { maximum = min(maximum, count) }
    }
    return 0..<Int.random(in: minimum...max(minimum, maximum), using: &random)
  }

  /// Returns the elements without those whose id occurs earlier.
  private func distinct(_ elements: [JSONTree], _ type: TypeInfo, _ key: KeyInfo) -> [JSONTree] {
    var seen: Set<[UInt8]> = []
    return elements.filter { element in
      guard let id = element.id(as: type, key) else { return true }
      return seen.insert(Array(id.utf8)).inserted
    }
  }

  // MARK: Scalars

  private mutating func scalar(_ scalar: Scalar, _ rules: [Rule]) -> JSONTree {
    if scalar.isCustom, let example = pick(scalar.examples) { return (try? JSONTree(parsing: example)) ?? .null }
    switch (scalar.type, scalar.format ?? scalar.contentEncoding) {
    case (nil, _): return (try? JSONTree(parsing: pick(EdgeCaseValues.json) ?? "null")) ?? .null
    case ("boolean", nil): return .bool(chance(1, of: 2))
    case ("integer", "int64"): return .number(String(integer(rules)))
    case ("number", "double"): return .number(number(EdgeCaseValues.numbers, rules))
    case ("number", "float"): return .number(number(EdgeCaseValues.floats, rules))
    case ("string", "uri"): return .string(pick(EdgeCaseValues.urls) ?? "")
    case ("string", "base64"): return .string(pick(EdgeCaseValues.data) ?? "")
    case ("string", "duration"): return .string(pick(EdgeCaseValues.durations) ?? "")
    case ("string", "uuid"): return .string(pick(EdgeCaseValues.uuids) ?? "")
    case ("string", "date-time"): return .string(pick(EdgeCaseValues.times) ?? "")
    case ("string", "date"): return .string(pick(EdgeCaseValues.days) ?? "")
    case ("string", nil) where scalar.pattern == nil: return .string(text(rules))
    default: return (try? JSONTree(parsing: scalar.example)) ?? .null
    }
  }

  private mutating func integer(_ rules: [Rule]) -> Int {
    let limits = NumberLimits(rules)
    let minimum = limits.minimum.flatMap { Int($0.text) } ?? .min
    let maximum = limits.maximum.flatMap { Int($0.text) } ?? .max
    if chance(1, of: 20) { return pick(EdgeCaseValues.integers) ?? 0 }
    let fitting = (EdgeCaseValues.integers + [minimum, maximum]).filter { $0 >= minimum && $0 <= maximum }
    return pick(fitting) ?? minimum
  }

  private mutating func number(_ spellings: [String], _ rules: [Rule]) -> String {
    if rules.isEmpty || chance(1, of: 20) { return pick(spellings) ?? "0" }
    let limits = NumberLimits(rules)
    return pick((spellings + limits.examples).filter(limits.contain)) ?? "0"
  }

  private mutating func text(_ rules: [Rule]) -> String {
    // Patterns and custom rules cannot be evaluated here, so ordinary strings, which most rules accept, are preferred.
    guard !rules.isEmpty else { return pick(EdgeCaseValues.strings) ?? "" }
    let candidates = chance(1, of: 4) ? EdgeCaseValues.strings : EdgeCaseValues.ordinaryStrings
    let fitting = candidates.filter { text in
      rules.allSatisfy { rule in
        switch rule {
        case .minimumLength(let minimum): text.count >= minimum
        case .maximumLength(let maximum): text.count <= maximum
        case .minimumCodePoints(let minimum): text.unicodeScalars.count >= minimum
        case .maximumCodePoints(let maximum): text.unicodeScalars.count <= maximum
        case .maximumBytes(let maximum): text.utf8.count <= maximum
        default: true
        }
      }
    }
    return pick(chance(1, of: 20) ? candidates : fitting) ?? "a"
  }
}

extension JSONTree {
  /// Returns the text of an element's id; nil if the type has no identity member.
  func id(as type: TypeInfo, _ key: KeyInfo) -> String? {
    type.identity.flatMap { self[$0.name] }.flatMap { key.text(ofJSON: $0.text) }
  }
}
