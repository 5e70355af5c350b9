/// What the library costs in process.
///
///     bench [--short]       a Markdown table over kitchens of 100, 10 000 and 1 000 000 dishes
///     bench NAME COUNT      does one thing that often and says nothing, for callgrind to count
@main
struct Bench {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.count == 2, let name = arguments.first, let count = arguments.last.flatMap({ Int($0) }) {
      guard let size = name.split(separator: "-").last.flatMap({ Int($0) }),
        let work = Work.all(sizes: [size]).first(where: { $0.name == name })
      else { fatalError("nothing is called \(name)") }
      _ = try await work.run(count)
      return
    }
    let isShort = arguments.contains("--short")
    print("| operation | ns | allocations |\n|---|---:|---:|")
    for work in Work.all(sizes: [100, 10_000, 1_000_000]) {
      let cost = try await Measurement(work, rounds: isShort ? 3 : 5, duration: .milliseconds(isShort ? 100 : 500))
      let hundredths = (cost.allocations * 100).rounded() / 100
      print("| \(cost.name) | \(Int(cost.nanoseconds.rounded())) | \(hundredths) |")
    }
  }
}
