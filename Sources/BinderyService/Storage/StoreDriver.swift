package import BinderyCore
package import BinderyJournal
import BinderySystem
package import BinderyTelemetry

/// A kind of store, or one store of that kind: ``sqlite``, ``sqlite(_:)``, ``memory``.
///
/// A program links only the database clients of the drivers that it names. Drivers are part of Bindery, because only
/// its products can create a ``StoreImplementation``.
public protocol StoreDriver: Sendable {
  /// The operations that the service and its commands use.
  var implementation: StoreImplementation { get }
}

/// The operations of a ``StoreDriver``, which are not public.
public struct StoreImplementation: Sendable {
  /// The operations themselves.
  package let operations: any StoreOperations

  package init(_ operations: any StoreOperations) { self.operations = operations }
}

/// The operations of a kind of store, or of one store of that kind.
package protocol StoreOperations: Sendable {
  /// The values of `--store` that name a store of this kind, for the help.
  var usage: String { get }
  /// The paths of the files of this store, which may not exist; the database comes first.
  var files: [String] { get }
  /// Whether other servers can commit to the store at the same time.
  var isShared: Bool { get }
  /// Returns the default location for a program.
  func defaultLocation(for program: String) -> String
  /// Returns the store at a location; nil if the location does not name a store of this kind.
  func located(at location: String) -> Self?

  /// Opens the store for writing. It is created if it does not exist.
  func open<Root: Sendable>(_ opening: StoreOpening<Root>) throws -> OpenStore<Root>
  /// Checks that the store can be opened, without changing anything.
  ///
  /// - Returns: The changes of the model since the state was stored, one line for each.
  func check<Root: Sendable>(_ opening: StoreOpening<Root>) throws -> [String]
  /// Returns the state as canonical JSON, hidden members included; nil in a new store.
  ///
  /// - Parameter reportLoss: Called for each part of the stored state that the model does not have.
  func export<Root: Sendable>(
    _ model: ModelDefinition<Root>, reportLoss: (String) -> Void
  ) throws(StoreDriverError) -> [UInt8]?
  /// Replaces the state, as one revision. The store is created if it does not exist.
  ///
  /// - Parameter make: Returns the new state for the current one, which is nil in a new store.
  /// - Returns: The revision of the store.
  /// - Throws: ``StoreDriverError``, or any error of `make`. The store is then unchanged.
  func replaceState<Root: Sendable>(of model: ModelDefinition<Root>, by make: (Root?) throws -> Root) throws -> Int
  /// Copies the store to a new file, also while a server uses it.
  func backUp(to path: String) throws(StoreDriverError)
  /// Replaces the store by a backup, atomically.
  ///
  /// - Returns: The revision of the backup.
  func restore<Root: Sendable>(_ model: ModelDefinition<Root>, from path: String) throws(StoreDriverError) -> Int
}

/// A request to open a store.
package struct StoreOpening<Root: Sendable> {
  /// The settings that depend on the stored values of options.
  package struct Plan {
    /// The values of options to store.
    package var options: [String: String]
    package var retention: Retention
    package var logger: Logger
    /// Whether the initial state replaces that of an existing store, as one revision.
    package let replacesState: Bool
    /// Returns the state of a new store.
    package let initial: () throws -> Root

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - model: The model of the state.
    ///   - replacesState: Whether the initial state replaces that of an existing store.
    ///   - initial: Returns the state of a new store. The plan's function lets the model settle and check it.
    package init(
      of model: ModelDefinition<Root>, options: [String: String], retention: Retention, logger: Logger,
      replacesState: Bool = false, initial: @escaping () throws -> Root
    ) {
      (self.options, self.retention, self.logger) = (options, retention, logger)
      self.replacesState = replacesState
      self.initial = {
        var root = try initial()
        try InvalidInitialState.settle(&root, of: model)
        return root
      }
    }
  }

  /// The model of the state.
  package let model: ModelDefinition<Root>
  /// The names of the options whose values are stored.
  package let options: [String]
  /// Called when the store is open and before its state is read; again if another server that shares the store has
  /// stored options in the meantime.
  package let plan: (_ stored: StoredSettings) throws -> Plan

  /// Creates a request.
  package init(
    model: ModelDefinition<Root>, options: [String], plan: @escaping (_ stored: StoredSettings) throws -> Plan
  ) {
    (self.model, self.options, self.plan) = (model, options, plan)
  }

  /// Makes the plan, and the first state if a start would store it.
  ///
  /// - Parameter isNew: Whether the store has no state.
  package func check(_ stored: StoredSettings, isNew: Bool) throws -> Plan {
    let plan = try plan(stored)
    if isNew || plan.replacesState { _ = try plan.initial() }
    return plan
  }
}

/// The values of a store that a start depends on.
package struct StoredSettings: Sendable {
  /// The stored values of options.
  package let options: [String: String]
  /// The clock of the store, in milliseconds since 1970.
  package let clock: @Sendable () -> Int64

  package init(_ options: [String: String] = [:], clock: @escaping @Sendable () -> Int64 = { Clock.wallMilliseconds }) {
    (self.options, self.clock) = (options, clock)
  }
}

/// The error of an initial state that breaks a rule of its model. Every commit would fail, and so would the next start.
package struct InvalidInitialState: Error, CustomStringConvertible {
  package let description: String

  private init(_ reason: String, of model: Any.Type) {
    description = "the initial state of \(model) is invalid: \(reason); correct it, or the declaration of the model"
  }

  /// Checks the constraints of an initial state, and lets the model settle it.
  ///
  /// Otherwise the first commit would also change what the model settles, wherever it is.
  ///
  /// - Throws: ``InvalidInitialState``.
  static func settle<Root: Sendable>(
    _ root: inout Root, of model: ModelDefinition<Root>
  ) throws(InvalidInitialState) {
    do throws(ValidationError) {
      try model.shape.check(root)
    } catch { throw InvalidInitialState("\(error)", of: Root.self) }
    do throws(InvalidState) {
      try model.settle(whole: &root)
    } catch { throw InvalidInitialState("\(error)", of: Root.self) }
  }
}

/// An open store and what a service needs of it.
package struct OpenStore<Root: Sendable>: Sendable {
  package let store: Store<Root>
  package var history: (any History)?
  /// Returns why the journal cannot store writes, or nil if it can. Nil if there is no journal.
  package var journalFailure: (@Sendable () -> JournalFailure?)?
  /// The clock of the store, in milliseconds since 1970: the same one for all servers that share it.
  package var clock: @Sendable () -> Int64 = { Clock.wallMilliseconds }
  /// The ends of sessions that the store keeps; nil if they are not stored.
  package var sessionEnds: SessionEnds?
  /// Reports that the state was replaced by other servers; nil if there are none.
  package var replacement: StateReplacement?
  package var collectMetrics: @Sendable (inout Exposition) -> Void = { _ in }
  /// Stores all commits and releases the store.
  package var close: @Sendable () -> Void = {}

  package init(_ store: Store<Root>) { self.store = store }

  /// Creates a store whose journal also keeps the history and the ends of sessions.
  package init<Storage>(_ store: Store<Root>, _ journal: StorageJournal<Root, Storage>, _ sessionEnds: SessionEnds) {
    self.init(store)
    history = journal
    sessionEnds.onEnd { [weak journal] session, expires, completion in
      guard let journal else { return completion(.unavailable("The store is closed.")) }
      journal.endSession(session, expires: expires, completion)
    }
    self.sessionEnds = sessionEnds
    journalFailure = { journal.failure }
  }
}

/// The reason why a store could not be used.
public struct StoreDriverError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of reasons.
  public enum Kind: Hashable, Sendable {
    /// Another server has the store open.
    case inUse
    /// The store or the backup does not exist.
    case missing
    /// The file to create exists already, or cannot be created.
    case cannotCreate
    /// The stored data is damaged, or of another program.
    case unreadable
    /// The stored state does not fit the model.
    case misfit
    /// Reading or writing failed.
    case inputOutput
    /// The store cannot do this.
    case unsupported
    /// A store cannot be at this location.
    case location
  }

  /// The kind of the reason.
  public let kind: Kind
  /// The reason, with the location of the store.
  public let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

extension Logger {
  /// Logs a change in whether the journal of a store stores writes.
  package func log(_ change: JournalHealthChange, of store: String) {
    switch change {
    case .failing(let failure): log(.error, "\(store): \(failure.reason)")
    case .failingForAnotherReason(let failure): log(.warning, "\(store): \(failure.reason)")
    case .working: log(.info, "\(store): writes succeed again")
    }
  }
}
