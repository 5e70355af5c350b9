import BinderyCore
import BinderyService
import Foundation
import Testing

/// A store that other servers can use at the same time, as far as its driver says.
private struct SharedStore: StoreDriver, StoreOperations {
  private let other = MemoryStore.memory.implementation.operations

  var implementation: StoreImplementation { StoreImplementation(self) }
  var usage: String { "shared://NAME" }
  var location: String? { "shared://test" }
  var files: [String] { [] }
  var isShared: Bool { true }

  func defaultLocation(for program: String) -> String { "shared://test" }
  func located(at location: String) -> Self? { self }
  func open<Root: Sendable>(_ opening: StoreOpening<Root>) throws -> OpenStore<Root> { try other.open(opening) }

  func check<Root: Sendable>(_ opening: StoreOpening<Root>) throws -> [String] { try other.check(opening) }

  func export<Root: Sendable>(
    _ model: ModelDefinition<Root>, reportLoss: (String) -> Void
  ) throws(StoreDriverError) -> [UInt8]? {
    try other.export(model, reportLoss: reportLoss)
  }

  func replaceState<Root: Sendable>(of model: ModelDefinition<Root>, by make: (Root?) throws -> Root) throws -> Int {
    try other.replaceState(of: model, by: make)
  }

  func backUp(to path: String) throws(StoreDriverError) { try other.backUp(to: path) }

  func restore<Root: Sendable>(_ model: ModelDefinition<Root>, from path: String) throws(StoreDriverError) -> Int {
    try other.restore(model, from: path)
  }
}

private enum SharedTally: ServiceCommand {
  static let initial = Tally()
  static let servesModelFiles = true
  static let stores: [any StoreDriver] = [SharedStore()]
}

struct SharedStoreTests {
  @Test func `a data file is not kept in step with a store that other servers use`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "bindery-\(UUID().uuidString).json").path
    try Data("{\"a\": 1}".utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    for command in ["serve", "check"] {
      #expect(await SharedTally.run([command, "--from", path, "--sync"], environment: [:]) == 78)
    }
    #expect(await SharedTally.run(["check", "--from", path], environment: [:]) == 0)
  }
}
