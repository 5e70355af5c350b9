import Dispatch

/// Measures the library in process.
///
///     bench [--short]       prints a Markdown table for kitchens of 100, 10,000 and 1,000,000 dishes
///     bench NAME COUNT      runs one operation COUNT times without output, for callgrind
@main
struct Bench {
  static func main() {
    // The main thread waits, because Valgrind does not support that it ends, as it does with an asynchronous `main`.
    let finished = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await run() } catch { fatalError("\(error)") }
      finished.signal()
    }
    finished.wait()
  }

  private static func run() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.count == 2, let name = arguments.first, let count = arguments.last.flatMap({ Int($0) }) {
      guard let size = name.split(separator: "-").last.flatMap({ Int($0) }),
        let operation = Operation.all(sizes: [size]).first(where: { $0.name == name })
      else { fatalError("unknown operation \(name); expected read-N, write-N or commit-N") }
      _ = try await operation.run(count)
      return
    }
    let isShort = arguments.contains("--short")
    print("| operation | ns | allocations |\n|---|---:|---:|")
    for operation in Operation.all(sizes: [100, 10_000, 1_000_000]) {
      let cost = try await Measurement(
        operation, rounds: isShort ? 3 : 5, duration: .milliseconds(isShort ? 100 : 500))
      let hundredths = (cost.allocations * 100).rounded() / 100
      print("| \(cost.name) | \(Int(cost.nanoseconds.rounded())) | \(hundredths) |")
    }
  }
}
