import BinderyCore
import BinderyDigest
import BinderyJSON

/// The value that a computed place should have when all operations have been applied and the model has settled.
struct Expectation {
  let steps: [Step]
  /// The bytes that identify the place.
  let identity: [UInt8]
  /// The requested value, possibly without some members; nil if the place should be absent or nil.
  let node: JSONNode?
  /// Whether the requested value was merged into the current one, so that it may lack entries of dictionaries.
  let isMerged: Bool
  /// The index of the JSON Patch operation; nil for any other write.
  let operation: Int?
  /// The outcome if the place has another value; nil if it follows from the value before the request.
  let outcome: WriteOutcome?

  init(steps: [Step], node: JSONNode?, isMerged: Bool = false, operation: Int?, outcome: WriteOutcome? = nil) {
    self.steps = steps
    identity = steps.identity
    self.node = node
    self.isMerged = isMerged
    self.operation = operation
    self.outcome = outcome
  }

  init(_ deviation: Deviation, at steps: [Step], _ operation: Int?) {
    self.init(
      steps: steps + deviation.steps, node: deviation.node, isMerged: deviation.isMerged, operation: operation,
      outcome: deviation.outcome)
  }
}

extension WriteTransaction {
  /// Records the value that an operation of a JSON Patch requested.
  ///
  /// - Parameter steps: The steps of the route, with the ids of elements that it names by positions.
  mutating func expect(_ edit: Edit, along route: Route, at steps: [Step], _ operation: Int) {
    let place = steps.identity
    // The value of this operation replaces those of earlier ones at, above or below the same place.
    expectations.removeAll { place.starts(with: $0.identity) || $0.identity.starts(with: place) }
    for deviation in edit.deviations { append(Expectation(deviation, at: steps, operation)) }
    let isDeviation = edit.decodingOutcome != .applied
    guard route.isComputed || isDeviation || !route.isDirectlyStored || route.target.hasObservers else {
      // In a plain array, later operations may move the value.
      if let node = edit.node, !steps.contains(where: \.isPosition) { requestedValues.append((steps, node, operation)) }
      return
    }
    switch steps.last {
    case .end: return
    case .index where edit.node == nil: return
    default: break
    }
    append(
      Expectation(
        steps: steps, node: edit.node, operation: operation, outcome: isDeviation ? edit.decodingOutcome : nil))
  }

  /// Compares the values that operations of a JSON Patch requested with the settled draft.
  ///
  /// - Parameter draft: The draft before the model's `settle`. A value that it does not have was replaced by a later
  ///   operation.
  mutating func judgeRequestedValues<Root: Sendable>(
    in root: Root, settledFrom draft: Root, _ base: Root, of model: ModelDefinition<Root>
  ) {
    for (steps, node, operation) in requestedValues {
      if holds(node, at: steps, in: root, of: model, omitting: .writable) { continue }
      guard holds(node, at: steps, in: draft, of: model, omitting: .writable) else { continue }
      unkeptOperation = min(operation, unkeptOperation ?? operation)
      let isAsBefore = isSame(Self.route(steps, model.shape), in: root, as: base, of: model)
      outcome = max(outcome, isAsBefore ? .dropped : .adjusted)
    }
  }

  private mutating func append(_ expectation: Expectation) {
    expectations.append(expectation)
    hasPositions = hasPositions || expectation.steps.contains(where: \.isPosition)
  }

  /// Compares the expected values with the draft, and forgets them.
  mutating func judge<Root: Sendable>(
    in root: Root, from base: Root, of model: ModelDefinition<Root>, where isDue: (Expectation) -> Bool
  ) {
    if expectations.isEmpty { return }
    let gettersBefore = GetterCache()
    for expectation in expectations where isDue(expectation) {
      let (node, omission) = (expectation.node ?? .null, expectation.isMerged ? Comparison.Omission.merged : .any)
      if holds(node, at: expectation.steps, in: root, of: model, omitting: omission) { continue }
      let route = Self.route(expectation.steps, model.shape)
      if expectation.node == nil, (try? read(.presence, in: root, of: model, along: route)) == nil { continue }
      if let operation = expectation.operation { unkeptOperation = min(operation, unkeptOperation ?? operation) }
      if outcome == .dropped { continue }
      let isAsBefore = isSame(route, in: root, as: base, of: model, gettersBefore)
      outcome = max(outcome, expectation.outcome ?? (isAsBefore ? .dropped : .adjusted))
    }
    expectations.removeAll(where: isDue)
  }

  /// Compares the stored value that a write requested with the settled draft, if the model's `settle` or a property
  /// observer may have changed it.
  ///
  /// - Parameter edit: The only edit of the write.
  mutating func judge<Root: Sendable>(
    _ edit: Edit, along route: Route, in root: Root, from base: Root, of model: ModelDefinition<Root>
  ) {
    guard isChangedBySettling || !route.isDirectlyStored || route.target.hasObservers, outcome == .applied,
      !route.isComputed, let node = edit.node
    else { return }
    var steps = route.steps
    if edit.operation.kind == .append, let key = edit.newKey { steps.append(.key(key)) }
    if holds(node, at: steps, in: root, of: model, omitting: .writable) { return }
    outcome = isSame(Self.route(steps, model.shape), in: root, as: base, of: model) ? .dropped : .adjusted
  }

  /// Returns whether the value at the end of some steps is the one that JSON describes.
  func holds<Root: Sendable>(
    _ node: JSONNode, at steps: [Step], in root: Root, of model: ModelDefinition<Root>,
    omitting omission: Comparison.Omission = .none
  ) -> Bool {
    let purpose = ReadOperation.Purpose.equality(node, omitting: omission, at: steps)
    return (try? read(purpose, in: root, of: model, along: Self.route(steps, model.shape)).isEqual) ?? false
  }

  /// Returns whether clients see the same value in the copy as before.
  ///
  /// - Parameter gettersBefore: The values of getters in the state before; nil to evaluate each getter again.
  private func isSame<Root: Sendable>(
    _ route: Route, in root: Root, as base: Root, of model: ModelDefinition<Root>, _ gettersBefore: GetterCache? = nil
  ) -> Bool {
    if model.shape.isSame(base, root, along: route, gettersBefore, getters) { return true }
    // Hidden members may be all that differs.
    guard route.target.hasHidden else { return false }
    return Self.digest(in: base, of: model, along: route, key, gettersBefore)
      == Self.digest(in: root, of: model, along: route, key, getters)
  }

  /// Reads a value in the copy.
  func read<Root: Sendable>(
    _ purpose: ReadOperation.Purpose, in root: Root, of model: ModelDefinition<Root>, along route: Route
  ) throws(Absence) -> ReadOperation {
    var reading = ReadOperation(purpose, key: key, getters: getters)
    try model.shape.visit(root, route, 0, &reading)
    return reading
  }

  /// Returns the digest of a value, or nil if it is absent.
  static func digest<Root: Sendable>(
    in root: Root, of model: ModelDefinition<Root>, along route: Route, _ key: DigestKey,
    _ getters: GetterCache? = nil
  ) -> Digest? {
    var reading = ReadOperation(.digest, key: key, getters: getters)
    do { try model.shape.visit(root, route, 0, &reading) } catch { return nil }
    return reading.digest
  }

  private static func route<Root: Sendable>(_ steps: [Step], _ shape: EditableShape<Root>) -> Route {
    Route(steps: steps, target: shape.type.following(steps) ?? shape.type, isWritable: true, isRemovable: false)
  }
}
