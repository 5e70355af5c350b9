public import BinderyCore

/// Puts the laws to the test on generated values of a type.
///
/// Values are made from the type's shape: nasty strings, limits of integers and dates, empty and nested containers.
/// Those that constraints refuse are left out; where too few pass, give samples.
///
///     var generator = SeededGenerator(seed: 1)
///     let report = lawReport(of: Menu.self, using: &generator)
///     #expect(report.violations.isEmpty)
///
/// - Parameters:
///   - samples: values to test besides.
///   - rounds: how many values to make.
///   - generator: where chance comes from; a seeded one repeats.
public func lawReport<Model: Bindable>(
  of _: Model.Type = Model.self, samples: [Model] = [], rounds: Int = 100,
  using generator: inout some RandomNumberGenerator
) -> LawReport {
  var trial = Trial<Model, _>(random: generator)
  for sample in samples { trial.run(on: sample, isSample: true) }
  for _ in 0..<rounds {
    if let value = trial.makeValue() { trial.run(on: value) }
  }
  // Handed back, so that a second call sees other values.
  generator = trial.generator.random
  return trial.report
}

/// The violations of ``lawReport(of:samples:rounds:using:)``.
public func lawViolations<Model: Bindable>(
  of type: Model.Type = Model.self, samples: [Model] = [], rounds: Int = 100,
  using generator: inout some RandomNumberGenerator
) -> [LawViolation] {
  lawReport(of: type, samples: samples, rounds: rounds, using: &generator).violations
}

/// A generator that gives the same numbers for the same seed (SplitMix64, Steele et al. 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
