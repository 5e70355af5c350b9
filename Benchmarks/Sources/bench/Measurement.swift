import CAllocations

/// The time and the allocations of one operation: medians over several rounds.
struct Measurement {
  let name: String
  let nanoseconds: Double
  let allocations: Double

  /// Measures an operation.
  ///
  /// - Parameters:
  ///   - rounds: The number of rounds; medians are taken over them.
  ///   - duration: The approximate duration of a round.
  init(_ operation: Operation, rounds: Int, duration: Duration) async throws {
    let count = try await Self.calibratedCount(of: operation, filling: duration)
    var costs: [(nanoseconds: Double, allocations: Double)] = []
    for _ in 0..<rounds {
      let before = CAllocations.allocations()
      let elapsed = try await ContinuousClock().measure { _ = try await operation.run(count) }
      let allocationCount = CAllocations.allocations() - before
      costs.append((elapsed / .nanoseconds(1) / Double(count), Double(allocationCount) / Double(count)))
    }
    name = operation.name
    nanoseconds = costs.map(\.nanoseconds).sorted()[rounds / 2]
    allocations = costs.map(\.allocations).sorted()[rounds / 2]
  }

  /// Returns the number of repetitions that take about as long as a duration. The calibration is also the warm-up.
  private static func calibratedCount(of operation: Operation, filling duration: Duration) async throws -> Int {
    var count = 1000
    while true {
      let elapsed = try await ContinuousClock().measure { _ = try await operation.run(count) }
      if elapsed * 4 >= duration { return max(1, Int(Double(count) * (duration / elapsed))) }
      count *= 4
    }
  }
}
