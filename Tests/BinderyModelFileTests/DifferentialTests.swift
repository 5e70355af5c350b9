import BinderyCore
import BinderyDigest
import BinderyModelFile
import BinderyTestKit
import BindingLaws
import FoundationEssentials
import Testing

/// Sends the same random requests to the menu of the model file and to the same menu in Swift.
private struct DifferentialRun {
  struct Difference {
    let step: Int
    let compiled: String
    let dynamic: String
  }

  private let model: DynamicModel
  private let key = DigestKey.random()
  private let history = HistoryID.random()
  private(set) var steps: [ClientStep] = []
  private(set) var successes = 0
  private(set) var events = 0

  init() throws { model = try ModelFile.model(MenuModel.text) }

  private func services() throws -> (ComparedService<MenuCore>, ComparedService<DynamicValue>) {
    (
      ComparedService(MenuCore.initial, of: ModelDefinition(MenuCore.self), key: key, history: history),
      ComparedService(try model.initialState(), of: model.definition, key: key, history: history)
    )
  }

  /// Performs random steps until there is a difference.
  mutating func run(_ count: Int, seed: UInt64) throws -> Difference? {
    let (compiled, dynamic) = try services()
    var generator = RequestGenerator(random: SeededGenerator(seed: seed))
    for number in 0..<count {
      generator.openCount = dynamic.openCount
      generator.revision = dynamic.revision
      steps.append(generator.step())
      if let difference = Self.difference(compiled, dynamic, steps[number], number) { return difference }
      if let reply = dynamic.reply {
        if reply.status < 300 { successes += 1 }
        generator.etag = reply.etag ?? generator.etag
      }
      if let id = dynamic.lastEventID, id != generator.eventID {
        generator.eventID = id
        events += 1
      }
    }
    return nil
  }

  private static func difference(
    _ compiled: ComparedService<MenuCore>, _ dynamic: ComparedService<DynamicValue>, _ step: ClientStep, _ number: Int
  ) -> Difference? {
    let (expected, actual) = (compiled.perform(step), dynamic.perform(step))
    // Compared by bytes: strings are equal for Swift in any normalization form.
    guard !expected.utf8.elementsEqual(actual.utf8) else { return nil }
    return Difference(step: number, compiled: expected, dynamic: actual)
  }

  /// Returns a shorter list of steps that still leads to a difference.
  func shortened(to difference: Difference) throws -> ([ClientStep], Difference) {
    var (steps, difference) = (Array(steps.prefix(difference.step + 1)), difference)
    var (size, attempts) = (steps.count / 2, 0)
    while size > 0 {
      var start = 0
      while start < steps.count, attempts < 400 {
        attempts += 1
        var candidate = steps
        candidate.removeSubrange(start..<min(start + size, steps.count))
        if let found = try replay(candidate) {
          (steps, difference) = (Array(candidate.prefix(found.step + 1)), found)
        } else {
          start += size
        }
      }
      size /= 2
    }
    return (steps, difference)
  }

  private func replay(_ steps: [ClientStep]) throws -> Difference? {
    let (compiled, dynamic) = try services()
    for (number, step) in steps.enumerated() {
      if let difference = Self.difference(compiled, dynamic, step, number) { return difference }
    }
    return nil
  }
}

struct DifferentialTests {
  /// The number of requests of one run.
  private static let length = 2_500

  @Test(arguments: LongRun.seeds(1))
  func `a model file and the same model in Swift give the same responses and events`(_ seed: UInt64) throws {
    var run = try DifferentialRun()
    if let difference = try run.run(Self.length, seed: seed) {
      let (steps, last) = try run.shortened(to: difference)
      let list = steps.map { "  \($0)" }.joined(separator: "\n")
      Issue.record(
        """
        seed \(seed), step \(difference.step); the same difference after \(steps.count) steps:
        \(list)
        Swift:
        \(last.compiled)
        model file:
        \(last.dynamic)
        """)
    }
    #expect(run.successes > 250, "too few requests succeed to compare the models")
    #expect(run.events > 40, "too few events are sent to compare the models")
  }
}
