import FoundationEssentials

/// The amount of randomized work. `make models` repeats the tests with other seeds.
enum LongRun {
  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// Returns the seeds of a test that usually has `count` of them: `MODEL_SEED` is the first, and there are
  /// `MODEL_ROUNDS` times as many.
  static func seeds(_ count: UInt64) -> Range<UInt64> {
    let first = number("MODEL_SEED") ?? 1
    return first..<first + count * max(1, number("MODEL_ROUNDS") ?? 1)
  }
}
