public import BinderyDigest
public import BinderyJSON

/// One write operation, its state while it descends to its target, and its result.
@usableFromInline
package struct Edit {
  /// The kind of write, with the JSON of the request.
  @usableFromInline
  package struct Operation {
    @usableFromInline
    package enum Kind {
      /// JSON Merge Patch (RFC 7396): structs are merged, arrays and leaves are replaced.
      case merge
      /// `PUT`, and `replace` of JSON Patch (RFC 6902).
      case replace
      /// `DELETE`.
      case remove
      /// `POST`: adds an element after the last one.
      case append
      /// `add` of JSON Patch (RFC 6902): inserts into arrays and sequences.
      case insert
    }

    @usableFromInline package internal(set) var kind: Kind
    /// The JSON in the request; `null` for a removal. Not optional, because each reader would retain it to unwrap it.
    @usableFromInline var json: JSONNode
    /// Whether the request has JSON: it is no removal.
    @usableFromInline let hasJSON: Bool

    @inlinable
    init(kind: Kind, node: consuming JSONNode?) {
      self.kind = kind
      hasJSON = node != nil
      json = node ?? .null
    }

    /// The JSON in the request; nil for a removal.
    @inlinable var node: JSONNode? { hasJSON ? json : nil }

    @usableFromInline package static var remove: Operation { Operation(kind: .remove, node: nil) }
    @usableFromInline
    package static func merge(_ node: consuming JSONNode) -> Operation { Operation(kind: .merge, node: node) }
    @usableFromInline
    package static func replace(_ node: consuming JSONNode) -> Operation { Operation(kind: .replace, node: node) }
    @usableFromInline
    package static func append(_ node: consuming JSONNode) -> Operation { Operation(kind: .append, node: node) }
    @usableFromInline
    package static func insert(_ node: consuming JSONNode) -> Operation { Operation(kind: .insert, node: node) }
  }

  @usableFromInline package var operation: Operation
  /// The number of steps of the route that must exist; the edit may create what the other ones name. `PUT` may create
  /// all, `add` of a JSON Patch only the last one (RFC 6902 §4.1), and most edits none.
  @usableFromInline package var requiredSteps: Int
  /// True if the edit created the place.
  @usableFromInline package var created = false
  /// True if the place to remove did not exist.
  @usableFromInline package var wasAbsent = false
  /// The number of elements of a plain array that the edit has moved by one position.
  @usableFromInline package internal(set) var shiftedElements = 0
  /// The id of the element that was added.
  @usableFromInline package var newKey: AnyKey?
  /// The outcome of the setters of new values.
  @usableFromInline package var decodingOutcome: WriteOutcome = .applied
  /// Computed members in the request that did not have the requested value after their setter ran.
  @usableFromInline package var deviations: [Deviation] = []
  /// Values that were decoded before; nil to decode all of them now.
  @usableFromInline package var decodedValues: DecodedValues?
  /// The values of getters that were evaluated before; nil to evaluate each getter again.
  @usableFromInline package var getters: GetterCache?
  /// Read-only members in the request that differ from the draft so far; each must equal the settled result.
  @usableFromInline package var echoes: [ReadOnlyEcho] = []
  /// The position for the addressed element; nil for the end, or for where the element is.
  @usableFromInline package var position: Int?
  /// True while the items of an array are replaced.
  @usableFromInline var isInArray = false
  /// The id from the address, for the element that is being created.
  @usableFromInline var impliedKey: AnyKey?
  /// True while stored state is restored: a route may lead through hidden and read-only members, and constraints are
  /// not checked.
  @usableFromInline var isRestoring = false
  /// True if later edits may repair what this one breaks, so that the values around the target are checked after them.
  @usableFromInline package var defersConstraints = false
  /// True if the JSON is in the storage format, so that it replaces the place as a whole, hidden members included.
  @usableFromInline var isStored = false
  /// True if the current optional, with all its layers, may be edited but neither filled nor given another id.
  @usableFromInline var editsOnly = false
  /// The steps from the root to the addressed place. With ``getters``, those to the value that is being written.
  @usableFromInline var path: [Step]
  /// The number of steps from the root to the value that is being written.
  @usableFromInline var stepCount: Int
  /// The number of structs and payloads in the request around the current value; layers of an optional do not count.
  @usableFromInline var depth = 0

  /// Selects what the edit records about its place.
  @usableFromInline package var recording = Recording.none
  /// The old and the new value of a stored place; nil if they were not recorded.
  @usableFromInline var change: Change?
  /// The digest of a computed place before the edit.
  @usableFromInline package internal(set) var digestBefore: Digest?
  /// The digest of the value that is passed to the setter of a computed place.
  @usableFromInline package internal(set) var intendedDigest: Digest?

  /// Creates an edit.
  ///
  /// - Parameters:
  ///   - operation: the operation to perform on the target.
  ///   - requiredSteps: the number of steps that must exist; nil if the edit may create nothing.
  ///   - route: the route from the root to the target.
  ///   - isStored: true if the JSON is in the storage format.
  @usableFromInline
  package init(
    _ operation: Operation, requiredSteps: Int? = nil, along route: borrowing Route, stored isStored: Bool = false
  ) {
    self.operation = operation
    self.requiredSteps = requiredSteps ?? .max
    self.isStored = isStored
    self.path = route.steps
    self.stepCount = route.steps.count
  }

  /// Removes and returns the change of a stored place; nil if it was not recorded.
  package mutating func takeChange() -> Change? { change.take() }

  /// Returns whether the edit may create what the step at an index names.
  @inlinable
  func mayCreate(at index: Int) -> Bool { index >= requiredSteps && operation.hasJSON }

  /// Returns the value of a computed member on the way to the target.
  ///
  /// - Parameter index: the number of steps of the route that lead to the member.
  @inlinable
  func value<Value: Sendable>(at route: Route, _ index: Int, _ get: () -> Value) throws(EditError) -> Value {
    // A part of a request is edited along a route without steps, which does not identify the member.
    guard let getters, !route.steps.isEmpty else { return get() }
    guard let value = getters.value(at: route.steps[..<index], get) else { throw .absent(.interrupted(index)) }
    return value
  }

  /// Runs the getter of a computed member in the request and returns its result, which is not kept.
  ///
  /// - Parameter place: the steps from the root to the member.
  @inlinable
  func running<Result>(at place: @autoclosure () -> [Step], _ get: () -> Result) throws(EditError) -> Result {
    guard let getters else { return get() }
    guard let result = getters.run(at: place(), get) else { throw .absent(.interrupted(stepCount)) }
    return result
  }

  /// The outcome of all setters at the time when they ran.
  package var outcome: WriteOutcome { deviations.reduce(decodingOutcome) { max($0, $1.outcome) } }

  /// The JSON in the request; nil for a removal.
  @inlinable package var node: JSONNode? { operation.node }

  /// Returns the JSON to merge into the current value, or to replace it by.
  ///
  /// - Throws: ``EditError`` if the edit removes the value or appends an element to it.
  @inlinable
  func newValue() throws(EditError) -> JSONNode {
    guard operation.hasJSON, operation.kind != .append else { throw noNewValue }
    return operation.json
  }

  /// The error of an edit that removes a value or appends an element to it, but cannot.
  @usableFromInline
  var noNewValue: EditError { .invalid(operation.hasJSON ? .noCollection : .notRemovable) }

  /// The values that an edit records about its place.
  @usableFromInline
  package enum Recording {
    case none
    /// For a stored place: its old and its new value.
    case change
    /// For a computed place: the digest of the value that is passed to the setter, to be compared with the result.
    case intention(DigestKey)
  }

  /// Whether the value at the target is replaced or inserted as a whole.
  @inlinable var isReplacing: Bool { operation.kind == .replace || operation.kind == .insert }

  /// Whether the operation can insert or remove an element.
  @inlinable package var insertsOrRemoves: Bool { operation.kind == .insert || operation.kind == .remove }

  /// Whether a new value takes defaults for missing members.
  ///
  /// False inside a container that is replaced, where no member may be omitted.
  @inlinable
  var isCreating: Bool { !isReplacing || depth == 0 }

  /// Runs `body` while this edit is set to a part of the request, and restores it afterwards.
  ///
  /// - Parameters:
  ///   - node: the JSON of the part.
  ///   - step: the step from the current value to the part.
  ///   - name: the name of the member for JSON Pointers; nil if the part has no segment of its own.
  ///   - isLayer: true if the part is a layer of an optional, which does not count for ``depth``.
  @inlinable
  mutating func part<R>(
    _ node: consuming JSONNode, _ step: @autoclosure () -> Step, _ name: @autoclosure () -> String?,
    isLayer: Bool = false, _ body: (inout Edit) throws(EditError) -> R
  ) throws(EditError) -> R {
    var outer = consume node
    swap(&operation.json, &outer)
    defer { swap(&operation.json, &outer) }
    return try part(step(), name(), isLayer: isLayer, body)
  }

  /// Runs `body` while this edit is set to another value of the same document, and restores it afterwards.
  ///
  /// - Parameters:
  ///   - index: the index of the value in the document.
  ///   - step: the step from the current value to the part.
  ///   - name: the name of the member for JSON Pointers.
  @inlinable
  mutating func part<R>(
    at index: Int, _ step: @autoclosure () -> Step, _ name: @autoclosure () -> String?,
    _ body: (inout Edit) throws(EditError) -> R
  ) throws(EditError) -> R {
    // Not a new node, because each node retains its document.
    assert(operation.hasJSON)
    let outer = operation.json.index
    operation.json.index = index
    defer { operation.json.index = outer }
    return try part(step(), name(), isLayer: false, body)
  }

  /// Runs `body` after the JSON of a part was set, and restores everything else afterwards.
  @inlinable @inline(__always)
  mutating func part<R>(
    _ step: @autoclosure () -> Step, _ name: @autoclosure () -> String?, isLayer: Bool,
    _ body: (inout Edit) throws(EditError) -> R
  ) throws(EditError) -> R {
    let kind = operation.kind
    operation.kind = isReplacing ? .replace : .merge
    let (deviationCount, echoCount) = (deviations.count, echoes.count)
    stepCount += 1
    if !isLayer { depth += 1 }
    if getters != nil { path.append(step()) }
    defer {
      operation.kind = kind
      stepCount -= 1
      if !isLayer { depth -= 1 }
      if getters != nil { path.removeLast() }
    }
    do throws(EditError) {
      let result = try body(&self)
      // The steps are added on the way back, because few edits have anything to report about their parts.
      for index in deviationCount..<deviations.count { deviations[index].steps.insert(step(), at: 0) }
      for index in echoCount..<echoes.count {
        echoes[index].steps.insert(step(), at: 0)
        if let name = name() { echoes[index].names.insert(name, at: 0) }
      }
      return result
    } catch { throw name().map(error.under) ?? error }
  }

  /// Decodes a value of the request, unless it was decoded before, and merges the outcome.
  ///
  /// - Parameter isCreating: whether missing members take their defaults.
  @inlinable
  mutating func decoding<Value>(
    _ node: JSONNode, creating isCreating: Bool, _ body: (inout Decoding) throws(ValidationError) -> Value
  ) throws(EditError) -> Value {
    var decoding = Decoding(isStored ? .stored : isCreating ? .creating : .complete)
    decoding.isMoved = isStored && !isRestoring
    if operation.kind == .merge { decoding.isMerging = isCreating }
    decoding.isInArray = isInArray
    decoding.impliedKey = impliedKey
    impliedKey = nil
    do throws(ValidationError) {
      let value =
        if let decodedValues {
          try decodedValues.value(of: node, creating: isCreating, &decoding, body)
        } else {
          try body(&decoding)
        }
      decodingOutcome = max(decodingOutcome, decoding.outcome)
      return value
    } catch { throw .invalid(error) }
  }
}

/// A computed member in a request that did not have the requested value after its setter ran.
@usableFromInline
package struct Deviation {
  /// The steps from the addressed place to the member.
  @usableFromInline package internal(set) var steps: [Step]
  /// The requested value, or the requested part of it.
  @usableFromInline package let node: JSONNode
  /// Whether the requested value was merged into the current one.
  @usableFromInline package let isMerged: Bool
  /// The outcome if the place has another value in the end.
  @usableFromInline package let outcome: WriteOutcome

  @inlinable
  init(node: JSONNode, isMerged: Bool, outcome: WriteOutcome) {
    steps = []
    self.node = node
    self.isMerged = isMerged
    self.outcome = outcome
  }
}

/// A read-only member in a request, which is accepted if it equals the result.
@usableFromInline
package struct ReadOnlyEcho {
  /// The steps from the addressed place to the member.
  @usableFromInline package internal(set) var steps: [Step]
  @usableFromInline package let node: JSONNode
  /// The names of the members on these steps.
  @usableFromInline package internal(set) var names: [String]

  @inlinable
  init(steps: [Step], node: JSONNode, names: [String]) {
    self.steps = steps
    self.node = node
    self.names = names
  }
}
