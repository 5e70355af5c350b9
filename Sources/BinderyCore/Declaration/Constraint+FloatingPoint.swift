/// Ranges of `Double` and `Float`. An infinite bound limits nothing and does not appear in the schema.
extension Constraint where Value: BinaryFloatingPoint & Sendable {
  /// Requires a number ≥ `minimum`.
  public static func atLeast(_ minimum: Value) -> Constraint { within(minimum...) }

  /// Requires a number ≤ `maximum`.
  public static func atMost(_ maximum: Value) -> Constraint { within(...maximum) }

  /// Requires a number > `minimum`.
  public static func above(_ minimum: Value) -> Constraint {
    Constraint(lower: Bound(minimum, isExclusive: true), "a number > \(text(minimum))") { $0 > minimum }
  }

  /// Requires a number < `maximum`.
  public static func below(_ maximum: Value) -> Constraint { within(..<maximum) }

  /// Requires a number in a range that includes both bounds, such as `0...1`.
  public static func within(_ range: ClosedRange<Value>) -> Constraint {
    Constraint(
      lower: Bound(range.lowerBound), upper: Bound(range.upperBound),
      "a number from \(text(range.lowerBound)) to \(text(range.upperBound))"
    ) { range.contains($0) }
  }

  /// Requires a number in a range without its upper bound, such as `0..<360`.
  public static func within(_ range: Range<Value>) -> Constraint {
    Constraint(
      lower: Bound(range.lowerBound), upper: Bound(range.upperBound, isExclusive: true),
      "a number ≥ \(text(range.lowerBound)) and < \(text(range.upperBound))"
    ) { range.contains($0) }
  }

  /// Requires a number in a range without an upper bound, such as `0...`.
  public static func within(_ range: PartialRangeFrom<Value>) -> Constraint {
    Constraint(lower: Bound(range.lowerBound), "a number ≥ \(text(range.lowerBound))") { range.contains($0) }
  }

  /// Requires a number in a range without a lower bound, such as `...100`.
  public static func within(_ range: PartialRangeThrough<Value>) -> Constraint {
    Constraint(upper: Bound(range.upperBound), "a number ≤ \(text(range.upperBound))") { range.contains($0) }
  }

  /// Requires a number in a range without a lower bound and without its upper bound, such as `..<100`.
  public static func within(_ range: PartialRangeUpTo<Value>) -> Constraint {
    Constraint(upper: Bound(range.upperBound, isExclusive: true), "a number < \(text(range.upperBound))") {
      range.contains($0)
    }
  }

  private init(
    lower: Bound? = nil, upper: Bound? = nil, _ expected: String, holds: @escaping @Sendable (Value) -> Bool
  ) {
    let rules = [lower.map(Rule.minimum), upper.map(Rule.maximum)]
    self.init(rules: rules.compactMap(\.self), expected, holds: holds)
  }

  /// Returns a number as it is written in JSON, such as `0` instead of `0.0`.
  private static func text(_ number: Value) -> String { Bound(number)?.text ?? "\(number)" }
}
