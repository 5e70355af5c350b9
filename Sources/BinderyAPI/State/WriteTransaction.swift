import BinderyCore
import BinderyDigest
import BinderyJSON

/// The write of one request to a private copy of the state. It is applied completely or not at all.
///
/// Callers own the copy and pass it to each step. A generic type that contained it would have its metadata looked up at
/// run time for every write.
struct WriteTransaction {
  let key: DigestKey
  var outcome: WriteOutcome = .applied
  /// The index of the first JSON Patch operation whose value was not kept.
  var unkeptOperation: Int?
  /// The values of getters that operations of a JSON Patch share; nil for any other write.
  let getters: GetterCache?
  /// The values that earlier attempts of a long write have decoded.
  let decodedValues: DecodedValues?
  /// The values at computed places that were requested, except those that a later operation replaced.
  var expectations: [Expectation] = []
  private var echoes: [(echo: ReadOnlyEcho, steps: [Step], operation: Int?, isCopy: Bool)] = []
  /// The stored values that operations of a JSON Patch requested, which the model's `settle` may change.
  var requestedValues: [(steps: [Step], node: JSONNode, operation: Int)] = []
  /// Whether a place of `expectations` or `echoes` is named by a position, which other operations may change.
  var hasPositions = false
  /// The bytes of JSON that operations of a JSON Patch have copied and moved so far.
  var copiedBytes = 0
  /// The elements of plain arrays that operations of a JSON Patch have moved so far.
  var shiftedElements = 0
  /// The change of the single stored value that was written, if the write has recorded it.
  private(set) var written: Change?
  /// Whether each edit is one of several, after which the constraints of the values around their targets are checked.
  var defersConstraints = false
  /// Whether setters or property observers may have changed more than what was written.
  private var mayRunSetters = false
  /// Whether the model's `settle` may have changed the draft.
  private(set) var isChangedBySettling = false
  /// The places that other writes may have changed.
  private var touched = TouchedPlaces()

  /// Removes and returns ``written``.
  mutating func takeWritten() -> Change? { written.take() }

  init(key: DigestKey, getters: GetterCache? = nil, decodedValues: DecodedValues? = nil) {
    self.decodedValues = decodedValues
    self.key = key
    self.getters = getters
  }

  /// Applies one edit, and compares the value after a setter has run with the value that was written.
  ///
  /// - Parameters:
  ///   - operation: The index of the JSON Patch operation, if the edit is one.
  ///   - isCopy: Whether the JSON is a copy of another place.
  mutating func apply<Root: Sendable>(
    _ edit: inout Edit, to root: inout Root, of model: ModelDefinition<Root>, along route: Route,
    operation: Int? = nil, isCopy: Bool = false
  ) throws(EditError) {
    edit.getters = getters
    edit.decodedValues = decodedValues
    if defersConstraints, route.isDirectlyStored { edit.defersConstraints = true }
    if operation == nil {
      if route.isComputed {
        edit.recording = .intention(key)
      } else if route.isDirectlyStored {
        edit.recording = .change
      }
    }
    if !route.isDirectlyStored || route.target.hasGetters || route.target.hasObservers { mayRunSetters = true }
    // Later operations may move the elements, or name them by their ids.
    var steps = route.steps
    if operation != nil, steps.contains(where: \.isPosition) {
      steps = model.shape.namingElements(steps, in: root, getters)
    }
    try model.shape.apply(&root, route, 0, &edit)
    getters?.invalidate()
    if operation != nil, let key = edit.newKey, route.steps.last?.isPosition == true {
      steps[steps.count - 1] = .key(key)
    }
    for echo in edit.echoes {
      let steps = steps + echo.steps
      echoes.append((echo, steps, operation, isCopy))
      hasPositions = hasPositions || steps.contains(where: \.isPosition)
    }
    if let operation {
      expect(edit, along: route, at: steps, operation)
    } else {
      outcome = max(outcome, edit.decodingOutcome)
      for deviation in edit.deviations { expectations.append(Expectation(deviation, at: route.steps, nil)) }
    }
    written = edit.takeChange()
    if written == nil {
      // An element that is removed and inserted again may be the same, at another position.
      let mayReorder = edit.insertsOrRemoves && model.shape.type.hasElement(at: route.steps[...])
      touched.insert(route, mayReorder: mayReorder)
    }
    if let intended = edit.intendedDigest {
      let now = Self.digest(in: root, of: model, along: route, key)
      if now != intended { outcome = max(outcome, now == edit.digestBefore ? .dropped : .adjusted) }
    }
  }

  /// Calls the model's `settle(from:)`, and checks the read-only members that were sent against the result.
  ///
  /// Read-only members are checked last, because another member of the same request may change them to the value that
  /// was sent.
  ///
  /// - Parameter base: The snapshot that the copy was made from.
  /// - Returns: The differences from the snapshot; nil if there are none.
  /// - Throws: `invalid-state` or `read-only-member`.
  mutating func settle<Root: Sendable>(
    _ root: inout Root, from base: Snapshot<Root>, of model: ModelDefinition<Root>
  ) throws(Problem) -> Change? {
    let isUnchangedBySettling: Bool
    do throws(InvalidState) {
      if mayRunSetters { try model.check(root, since: base.root) }
      isUnchangedBySettling = try settle(&root, from: base.root, of: model)
    } catch {
      throw Problem(error)
    }
    getters?.invalidateFinally()
    if !expectations.isEmpty { judge(in: root, from: base.root, of: model) { _ in true } }
    if !echoes.isEmpty { try checkEchoes(in: root, of: model) { _ in true } }
    guard isUnchangedBySettling else {
      // The model may have changed any place.
      written = nil
      isChangedBySettling = true
      return Change.whole(from: base.root, to: root, model.shape).effective()
    }
    return (written ?? .of(touched, from: base.root, to: root, model.shape))?.effective()
  }
}

extension WriteTransaction {
  /// Calls the model's `settle(from:)`, and compares its result with the values that a JSON Patch requested.
  ///
  /// - Returns: Whether it left the draft unchanged.
  private mutating func settle<Root: Sendable>(
    _ root: inout Root, from base: Root, of model: ModelDefinition<Root>
  ) throws(InvalidState) -> Bool {
    if requestedValues.isEmpty { return try model.settle(&root, from: base) }
    let draft = root
    let isUnchanged = try model.settle(&root, from: base)
    if !isUnchanged { judgeRequestedValues(in: root, settledFrom: draft, base, of: model) }
    return isUnchanged
  }

  /// Checks that read-only members have the values that were sent, and forgets them.
  ///
  /// - Parameter isDue: Whether to check the member at the end of some steps.
  /// - Throws: `read-only-member`.
  mutating func checkEchoes<Root: Sendable>(
    in root: Root, of model: ModelDefinition<Root>, where isDue: ([Step]) -> Bool
  ) throws(Problem) {
    for (echo, steps, operation, isCopy) in echoes where isDue(steps) {
      if holds(echo.node, at: steps, in: root, of: model) { continue }
      let prefix = operation.map { [String($0), "value"] } ?? []
      let name = echo.names.last ?? ""
      throw Problem(
        .readOnlyMember, "“\(name)” is read-only and has another value. Leave it out, or send its current value."
      )
      .with {
        // A copied value is not part of the request, so the pointer can only name its source.
        $0.pointer = Pointer.text(isCopy ? [prefix.first ?? "", "from"] : prefix + echo.names)
        $0.operation = operation
      }
    }
    echoes.removeAll { isDue($0.steps) }
  }
}
