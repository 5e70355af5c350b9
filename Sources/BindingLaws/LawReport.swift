public import BinderyCore

/// Checks every ``Law`` with generated values of a type.
///
/// Values are generated from the type's shape, with a preference for edge cases: unusual strings, limits of integers
/// and dates, empty and nested containers. Values that violate the type's constraints are discarded. If too few values
/// remain (see ``LawReport/accepted``), pass samples.
///
///     var generator = SeededGenerator(seed: 1)
///     let report = lawReport(of: Menu.self, using: &generator)
///     #expect(report.violations.isEmpty)
///
/// - Parameters:
///   - type: The type to check.
///   - samples: Values to check in addition to the generated ones.
///   - rounds: The number of values to generate.
///   - generator: The source of randomness. Pass a ``SeededGenerator`` for reproducible results.
/// - Returns: The violations, and how often each law was checked.
public func lawReport<Value: Editable>(
  of type: Value.Type = Value.self, samples: [Value] = [], rounds: Int = 100,
  using generator: inout some RandomNumberGenerator
) -> LawReport {
  lawReport(of: Value.resolveShape(), samples: samples, rounds: rounds, using: &generator)
}

/// Checks every ``Law`` with generated values of a shape, like ``lawReport(of:samples:rounds:using:)``.
package func lawReport<Value: Sendable>(
  of shape: EditableShape<Value>, samples: [Value] = [], rounds: Int = 100,
  using generator: inout some RandomNumberGenerator
) -> LawReport {
  var checker = LawChecker(shape, random: generator)
  for sample in samples { checker.check(sample, isSample: true) }
  for _ in 0..<rounds {
    if let value = checker.generateValue() { checker.check(value) }
  }
  // Copy the advanced state back, so that a second call generates other values.
  generator = checker.generator.random
  return checker.report
}

/// Returns the violations that ``lawReport(of:samples:rounds:using:)`` finds.
public func lawViolations<Value: Editable>(
  of type: Value.Type = Value.self, samples: [Value] = [], rounds: Int = 100,
  using generator: inout some RandomNumberGenerator
) -> [LawViolation] {
  lawReport(of: type, samples: samples, rounds: rounds, using: &generator).violations
}

/// A random number generator that returns the same numbers for the same seed (SplitMix64, Steele et al. 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator with a seed.
  public init(seed: UInt64) { state = seed }

  /// Returns the next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
