package import BinderyJSON
import FoundationEssentials

extension ModelBuilder {
  /// Returns the shape of a scalar with its constraints.
  static func shape(of scalar: ScalarDeclaration) -> EditableShape<DynamicValue> {
    switch scalar.form {
    case .boolean: Bool.shape.dynamic({ .bool($0) }, { if case .bool(let value) = $0 { value } else { nil } })
    case .integer:
      listing(scalar.values, of: Int.shape).constrained(by: integerConstraints(scalar))
        .dynamic({ .integer($0) }, { if case .integer(let value) = $0 { value } else { nil } })
    case .number:
      Double.shape.constrained(by: numberConstraints(scalar) { Double($0) })
        .dynamic({ .number($0) }, { if case .number(let value) = $0 { value } else { nil } })
    case .float:
      Float.shape.constrained(by: numberConstraints(scalar) { Float($0) })
        .rarelyDynamic({ .float($0) }, { if case .float(let value) = $0 { value } else { nil } })
    case .string:
      listing(scalar.values, of: String.shape).constrained(by: textConstraints(scalar))
        .dynamic({ .text($0) }, { if case .text(let value) = $0 { value } else { nil } })
    case .uuid: UUID.shape.dynamic({ .uuid($0) }, { if case .uuid(let value) = $0 { value } else { nil } })
    case .dateTime: Date.shape.rarelyDynamic({ .date($0) }, { if case .date(let value) = $0 { value } else { nil } })
    case .date: CalendarDay.shape.rarelyDynamic({ .day($0) }, { if case .day(let value) = $0 { value } else { nil } })
    case .duration:
      Duration.shape.rarelyDynamic({ .duration($0) }, { if case .duration(let value) = $0 { value } else { nil } })
    case .uri: URL.shape.rarelyDynamic({ .url($0) }, { if case .url(let value) = $0 { value } else { nil } })
    case .base64:
      Data.shape.constrained(by: scalar.length.constraints(of: "data of", "bytes") { $0.count })
        .rarelyDynamic({ .data($0) }, { if case .data(let value) = $0 { value } else { nil } })
    }
  }

  /// Returns the shape of one of several values of a scalar.
  private static func listing<Value: Sendable>(
    _ texts: [String], of shape: EditableShape<Value>
  ) -> EditableShape<Value> {
    if texts.isEmpty { return shape }
    let values = Set(texts.map { String.UTF8View.Bytes($0) })
    return .scalar(
      shape.customType("Choice", format: nil, pattern: nil, values: texts, examples: texts), over: shape,
      expected: Spelling.choice(of: texts), encode: { $0 },
      decode: { value in values.contains(String.UTF8View.Bytes(shape.text(value))) ? value : nil })
  }

  private static func integerConstraints(_ scalar: ScalarDeclaration) -> [Constraint<Int>] {
    switch (scalar.minimum.flatMap { Int($0.text) }, scalar.maximum.flatMap { Int($0.text) }) {
    case (let minimum?, let maximum?): [.within(minimum...maximum)]
    case (let minimum?, nil): [.atLeast(minimum)]
    case (nil, let maximum?): [.atMost(maximum)]
    case (nil, nil): []
    }
  }

  private static func numberConstraints<Number: BinaryFloatingPoint & Sendable>(
    _ scalar: ScalarDeclaration, _ parse: (String) -> Number?
  ) -> [Constraint<Number>] {
    let (minimum, maximum) = (scalar.minimum.flatMap { parse($0.text) }, scalar.maximum.flatMap { parse($0.text) })
    let excludesMinimum = scalar.minimum?.isExclusive ?? false
    let excludesMaximum = scalar.maximum?.isExclusive ?? false
    if let minimum, let maximum, !excludesMinimum {
      return [excludesMaximum ? .within(minimum..<maximum) : .within(minimum...maximum)]
    }
    let lower = minimum.map { excludesMinimum ? Constraint.above($0) : .atLeast($0) }
    let upper = maximum.map { excludesMaximum ? Constraint.below($0) : .atMost($0) }
    return [lower, upper].compactMap(\.self)
  }

  private static func textConstraints(_ scalar: ScalarDeclaration) -> [Constraint<String>] {
    var constraints: [Constraint<String>] = []
    if scalar.length != CountLimits() { constraints.append(.codePoints(scalar.length)) }
    if scalar.characters != CountLimits() {
      constraints.append(.length((scalar.characters.minimum ?? 0)...(scalar.characters.maximum ?? .max)))
    }
    if let maximum = scalar.maximumBytes { constraints.append(.bytes(atMost: maximum)) }
    if scalar.isNotBlank { constraints.append(.notBlank) }
    if scalar.hasNoControlCharacters { constraints.append(.noControlCharacters) }
    return constraints
  }
}

extension ScalarDeclaration.Form {
  private static let shapes = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, ModelBuilder.shape(of: ScalarDeclaration($0))) })

  /// Returns the canonical JSON of a value that is given in JSON; nil if the value does not have this form.
  package func canonicalJSON(of node: JSONNode) -> [UInt8]? {
    var decoding = Decoding(.complete)
    guard let shape = Self.shapes[self], let value = try? shape.decode(node, &decoding) else { return nil }
    return Array(shape.text(value).utf8)
  }
}

extension CountLimits {
  /// Returns the constraint of a count, if there is any.
  ///
  /// - Parameters:
  ///   - noun: What is counted in.
  ///   - unit: What is counted.
  func constraints<Value>(
    of noun: String = "a collection of", _ unit: String = "elements", _ count: @escaping @Sendable (Value) -> Int
  ) -> [Constraint<Value>] {
    if self == CountLimits() { return [] }
    let expected = "\(noun) \(phrase) \(unit)"
    var rules = [minimum.map(Rule.minimumCount), maximum.map(Rule.maximumCount)].compactMap(\.self)
    if unit == "bytes" { rules.append(.described(expected)) }
    let range = (minimum ?? 0)...(maximum ?? .max)
    return [Constraint(rules: rules, expected) { range.contains(count($0)) }]
  }

  /// The limits in words, such as “1 to 5” or “at least 1”.
  fileprivate var phrase: String {
    switch (minimum, maximum) {
    case (let minimum?, let maximum?): "\(minimum) to \(maximum)"
    case (let minimum?, nil): "at least \(minimum)"
    case (_, let maximum): "at most \(maximum ?? .max)"
    }
  }
}

extension Constraint where Value == String {
  /// Limits the number of Unicode code points, as `minLength` and `maxLength` of JSON Schema do.
  public static func codePoints(_ range: ClosedRange<Int>) -> Constraint {
    codePoints(CountLimits(minimum: range.lowerBound, maximum: range.upperBound))
  }

  static func codePoints(_ limits: CountLimits) -> Constraint {
    let rules = [limits.minimum.map(Rule.minimumCodePoints), limits.maximum.map(Rule.maximumCodePoints)]
    let range = (limits.minimum ?? 0)...(limits.maximum ?? .max)
    return Constraint(rules: rules.compactMap(\.self), "a string of \(limits.phrase) Unicode code points") {
      range.contains($0.unicodeScalars.count)
    }
  }
}
