package import BinderyCore
import BinderyJournal
import BinderySystem

/// A store in memory. Its state ends with the process.
public struct MemoryStore: Sendable {
  private static let word = "memory"
}

extension MemoryStore: StoreDriver {
  /// The operations of the store.
  public var implementation: StoreImplementation { StoreImplementation(self) }
}

extension MemoryStore: StoreOperations {
  package var usage: String { "“memory” for no file" }
  package var location: String? { Self.word }
  package var files: [String] { [] }
  package var isShared: Bool { false }
  package func defaultLocation(for program: String) -> String { Self.word }
  package func located(at location: String) -> Self? { location == Self.word ? self : nil }

  package func open<Root: Sendable>(_ opening: StoreOpening<Root>) throws -> OpenStore<Root> {
    let plan = try opening.plan(StoredSettings())
    let root = try plan.initial()
    guard plan.retention.revisions > 0 else { return OpenStore(Store(root, of: opening.model)) }
    do throws(Errno) {
      let history = try MemoryHistory(of: opening.model, retention: plan.retention)
      var open = OpenStore(Store(root, of: opening.model, recorder: history.recorder))
      open.history = history
      open.close = { history.stop() }
      return open
    } catch { throw StoreDriverError(.inputOutput, "cannot start the history: \(error)") }
  }

  package func check<Root: Sendable>(_ opening: StoreOpening<Root>) throws -> [String] {
    _ = try opening.check(StoredSettings(), isNew: true)
    return []
  }

  package func export<Root: Sendable>(
    _ model: ModelDefinition<Root>, reportLoss: (String) -> Void
  ) throws(StoreDriverError) -> [UInt8]? {
    throw Self.unsupported
  }

  package func replaceState<Root: Sendable>(
    of model: ModelDefinition<Root>, by make: (Root?) throws -> Root
  ) throws -> Int { throw Self.unsupported }

  package func backUp(to path: String) throws(StoreDriverError) { throw Self.unsupported }

  package func restore<Root: Sendable>(_ model: ModelDefinition<Root>, from path: String) throws(StoreDriverError)
    -> Int
  {
    throw Self.unsupported
  }

  private static var unsupported: StoreDriverError {
    StoreDriverError(.unsupported, "a store in memory ends with its server: pass the location of a store with --store")
  }
}

extension StoreDriver where Self == MemoryStore {
  /// A store in memory.
  public static var memory: MemoryStore { MemoryStore() }
}
