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
  /// The index of the first JSON Patch operation whose value was not kept.
  private(set) var unkeptOperation: Int?
  /// The values of getters that operations of a JSON Patch share; nil for any other write.
  let getters: GetterCache?
  /// Values that were decoded before the store was locked.
  let preparedValues: PreparedValues?
  /// The values at computed places that were requested, except those that a later operation replaced.
  private var expectations: [Expectation] = []
  private var echoes: [(echo: ReadOnlyEcho, operation: Int?)] = []
  /// The bytes of JSON that operations of a JSON Patch have copied and moved so far.
  var copiedBytes = 0
  /// Indicates whether the single stored value that was written has changed; nil if that is not known.
  private var hasChanged: Bool?
  private var recordedScalar: RecordedScalar?

  init(
    key: DigestKey, hasJournal: Bool = false, getters: GetterCache? = nil, preparedValues: PreparedValues? = nil
  ) {
    self.preparedValues = preparedValues
    self.key = key
    self.hasJournal = hasJournal
    self.getters = getters
  }

  /// Applies one edit, and compares the value after a setter has run with the value that was written.
  ///
  /// - Parameter operation: The index of the JSON Patch operation, if the edit is one.
  mutating func apply<Root: StateModel>(
    _ edit: inout Edit, to root: inout Root, along route: Route, operation: Int? = nil
  ) throws(EditError) {
    edit.getters = getters
    edit.preparedValues = preparedValues
    if operation == nil {
      if route.isComputed {
        edit.recording = .intention(key)
      } else if route.isDirectlyStored {
        edit.recording = .change(key, withBefore: hasJournal)
      }
    }
    try Root.shape.apply(&root, route, 0, &edit)
    getters?.invalidate()
    for echo in edit.echoes { echoes.append((echo, operation)) }
    if let operation {
      expect(edit, along: route, operation)
    } else {
      outcome = max(outcome, edit.decodingOutcome)
      for deviation in edit.deviations { expectations.append(Expectation(deviation, nil)) }
    }
    hasChanged = edit.hasChanged
    recordedScalar = edit.takeScalar()
    if let intended = edit.intendedDigest {
      let now = Self.digest(in: root, along: route, key)
      if now != intended { outcome = max(outcome, now == edit.digestBefore ? .dropped : .adjusted) }
    }
  }

  /// Returns the digest of a value, or nil if it is absent.
  private static func digest<Root: StateModel>(in root: Root, along route: Route, _ key: DigestKey) -> Digest? {
    var reading = ReadOperation(.digest, key: key)
    do { try Root.shape.visit(root, route, 0, &reading) } catch { return nil }
    return reading.digest
  }

  /// Reads a value in the copy.
  func read<Root: StateModel>(_ purpose: ReadOperation.Purpose, in root: Root, along route: Route) throws(Absence)
    -> ReadOperation
  {
    var reading = ReadOperation(purpose, key: key, getters: getters)
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
  mutating func settle<Root: StateModel>(_ root: inout Root, from base: Snapshot<Root>) throws(Problem) -> Bool {
    let isUnchangedBySettling: Bool
    do throws(InvalidState) { isUnchangedBySettling = try root.settleDraft(from: base.root) } catch {
      throw Problem(.invalidState, error.message).with { $0.pointer = error.pointer }
    }
    getters?.invalidate()
    judge(in: root, from: base.root) { _ in true }
    for (echo, operation) in echoes {
      guard holds(echo.node, at: echo.steps, in: root) else {
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

// MARK: Judging whether setters kept what was written

/// The value that a computed place should have when all operations have been applied and the model has settled.
struct Expectation {
  let steps: [Step]
  /// The requested value, possibly without some members; nil if the place should be absent or nil.
  let node: JSONNode?
  /// The index of the JSON Patch operation; nil for any other write.
  let operation: Int?
  /// The outcome if the place has another value; nil if it follows from the value before the request.
  let outcome: WriteOutcome?

  init(steps: [Step], node: JSONNode?, operation: Int?, outcome: WriteOutcome? = nil) {
    self.steps = steps
    self.node = node
    self.operation = operation
    self.outcome = outcome
  }

  init(_ deviation: Deviation, _ operation: Int?) {
    self.init(steps: deviation.steps, node: deviation.node, operation: operation, outcome: deviation.outcome)
  }

  /// Whether a step names an element by its position, which other operations may change.
  var isPositional: Bool {
    steps.contains { step in
      switch step {
      case .index, .end: true
      case .member, .payload, .wrapped, .key: false
      }
    }
  }
}

extension WriteTransaction {
  /// Records the value that an operation of a JSON Patch requested.
  private mutating func expect(_ edit: Edit, along route: Route, _ operation: Int) {
    let place = route.steps.identity
    // What this operation wrote replaces what earlier ones wrote at, above or below the same place.
    expectations.removeAll { earlier in
      let other = earlier.steps.identity
      return place.starts(with: other) || other.starts(with: place)
    }
    for deviation in edit.deviations { expectations.append(Expectation(deviation, operation)) }
    let isDeviation = edit.decodingOutcome != .applied
    guard route.isComputed || isDeviation else { return }
    switch route.steps.last {
    case .end: return
    case .index where edit.node == nil: return
    default: break
    }
    expectations.append(
      Expectation(
        steps: route.steps, node: edit.node, operation: operation, outcome: isDeviation ? edit.decodingOutcome : nil))
  }

  /// Compares the expected values with the draft, and forgets them.
  mutating func judge<Root: StateModel>(in root: Root, from base: Root, where isDue: (Expectation) -> Bool) {
    guard !expectations.isEmpty else { return }
    for expectation in expectations where isDue(expectation) {
      if holds(expectation.node ?? .nullNode, at: expectation.steps, in: root, omitting: .any) { continue }
      let route = Self.route(expectation.steps, Root.self)
      if expectation.node == nil, (try? read(.presence, in: root, along: route)) == nil { continue }
      if unkeptOperation == nil { unkeptOperation = expectation.operation }
      if outcome == .dropped { continue }
      let isAsBefore = Self.digest(in: root, along: route, key) == Self.digest(in: base, along: route, key)
      outcome = max(outcome, expectation.outcome ?? (isAsBefore ? .dropped : .adjusted))
    }
    expectations.removeAll(where: isDue)
  }

  /// Returns whether the value at the end of some steps is the one that JSON describes.
  private func holds<Root: StateModel>(
    _ node: JSONNode, at steps: [Step], in root: Root, omitting omission: Comparison.Omission = .none
  ) -> Bool {
    let purpose = ReadOperation.Purpose.equality(node, omitting: omission, at: steps)
    return (try? read(purpose, in: root, along: Self.route(steps, Root.self)).isEqual) ?? false
  }

  private static func route<Root: StateModel>(_ steps: [Step], _: Root.Type) -> Route {
    Route(steps: steps, target: Root.shape.type, isWritable: true, isRemovable: false)
  }
}
