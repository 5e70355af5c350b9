import BinderyCore
import BinderyDigest
import BinderyJSON

/// The write of one request to a private copy of the state. It is applied completely or not at all.
///
/// Callers own the copy and pass it to each step. A generic type that contained it would have its metadata looked up at
/// run time for every write.
struct WriteTransaction {
  let key: DigestKey
  /// Indicates whether the previous value of a scalar is needed, for the journal.
  private let hasJournal: Bool
  private(set) var outcome: WriteOutcome = .applied
  private var echoes: [(echo: ReadOnlyEcho, operation: Int?)] = []
  /// The bytes of JSON that operations of a JSON Patch have copied and moved so far.
  var copiedBytes = 0
  /// Indicates whether the single stored value that was written has changed; nil if that is not known.
  private var hasChanged: Bool?
  private var recordedScalar: RecordedScalar?

  init(key: DigestKey, hasJournal: Bool = false) {
    self.key = key
    self.hasJournal = hasJournal
  }

  /// Applies one edit, and compares the value after a setter has run with the value that was written.
  ///
  /// - Parameter operation: The index of the JSON Patch operation, if the edit is one.
  mutating func apply<Root: Model>(
    _ edit: inout Edit, to root: inout Root, along route: Route, operation: Int? = nil
  ) throws(EditError) {
    if route.isComputed {
      edit.recording = .intention(key)
    } else if operation == nil, route.isDirectlyStored {
      edit.recording = .change(key, withBefore: hasJournal)
    }
    try Root.shape.apply(&root, route, 0, &edit)
    for echo in edit.echoes { echoes.append((echo, operation)) }
    outcome = max(outcome, edit.outcome)
    hasChanged = edit.hasChanged
    recordedScalar = edit.takeScalar()
    if let intended = edit.intendedDigest {
      let now = Self.digest(in: root, along: route, key)
      if now != intended { outcome = max(outcome, now == edit.digestBefore ? .dropped : .adjusted) }
    }
  }

  /// Returns the digest of a value, or nil if it is absent.
  private static func digest<Root: Model>(in root: Root, along route: Route, _ key: DigestKey) -> Digest? {
    var reading = ReadOperation(.digest, key: key)
    do { try Root.shape.visit(root, route, 0, &reading) } catch { return nil }
    return reading.digest
  }

  /// Reads a value in the copy.
  func read<Root: Model>(_ purpose: ReadOperation.Purpose, in root: Root, along route: Route) throws(Absence)
    -> ReadOperation
  {
    var reading = ReadOperation(purpose, key: key)
    try Root.shape.visit(root, route, 0, &reading)
    return reading
  }

  /// Removes and returns the scalar that was written. Returns nil if the write was not a single scalar, or if the model
  /// changed the draft afterwards.
  mutating func takeScalar() -> RecordedScalar? {
    defer { recordedScalar = nil }
    return recordedScalar
  }

  /// Calls the model's `settle(from:)`, and checks the read-only members that were sent against the result.
  ///
  /// Read-only members are checked last, because another member of the same request may change them to the value that
  /// was sent.
  ///
  /// - Parameter base: The snapshot that the copy was made from.
  /// - Returns: Whether the copy differs from the snapshot.
  /// - Throws: `invalid-state` or `read-only-member`.
  mutating func settle<Root: Model>(_ root: inout Root, from base: Snapshot<Root>) throws(Problem) -> Bool {
    let isUnchangedBySettling: Bool
    do throws(InvalidState) { isUnchangedBySettling = try root.settleDraft(from: base.root) } catch {
      throw Problem(.invalidState, error.message).with { $0.pointer = error.pointer }
    }
    for (echo, operation) in echoes {
      let route = Route(steps: echo.steps, target: Root.shape.type, isWritable: true, isRemovable: false)
      let holds = (try? read(.equality(echo.node), in: root, along: route).isEqual) ?? false
      guard holds else {
        let prefix = operation.map { [String($0), "value"] } ?? []
        let name = echo.names.last ?? ""
        throw Problem(
          .readOnlyMember, "“\(name)” is read-only and has another value. Leave it out, or send its current value."
        )
        .with {
          $0.pointer = Pointer.text(prefix + echo.names)
          $0.operation = operation
        }
      }
    }
    // If the model did not change the draft, only the value that was written can differ: no comparison is needed.
    if isUnchangedBySettling, let hasChanged { return hasChanged }
    recordedScalar = nil
    return !Root.shape.areSame(base.root, root)
  }
}
