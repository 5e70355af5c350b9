import CAllocations

/// What one operation costs: the median of several rounds.
struct Measurement {
  let name: String
  let nanoseconds: Double
  let allocations: Double

  /// - Parameter duration: about how long a round takes.
  init(_ work: Work, rounds: Int, duration: Duration) async throws {
    let times = try await Self.times(of: work, in: duration)
    var costs: [(nanoseconds: Double, allocations: Double)] = []
    for _ in 0..<rounds {
      let before = CAllocations.allocations()
      let elapsed = try await ContinuousClock().measure { _ = try await work.run(times) }
      let asked = CAllocations.allocations() - before
      costs.append((elapsed / .nanoseconds(1) / Double(times), Double(asked) / Double(times)))
    }
    name = work.name
    nanoseconds = costs.map(\.nanoseconds).sorted()[rounds / 2]
    allocations = costs.map(\.allocations).sorted()[rounds / 2]
  }

  /// How many operations fill that time; looking for it warms up.
  private static func times(of work: Work, in duration: Duration) async throws -> Int {
    var times = 1000
    while true {
      let elapsed = try await ContinuousClock().measure { _ = try await work.run(times) }
      if elapsed * 4 >= duration { return max(1, Int(Double(times) * (duration / elapsed))) }
      times *= 4
    }
  }
}
