public import BinderyDigest
public import BinderyJSON

/// One write on its way through a draft, and then what became of it.
@usableFromInline
package struct Edit {
  @usableFromInline
  package enum Operation {
    /// `PATCH`: structs merge, arrays and leaves are replaced.
    case merge(JSONNode)
    /// `PUT`, and `replace` of JSON Patch.
    case replace(JSONNode)
    /// `DELETE`.
    case remove
    /// `POST`: behind the last element.
    case append(JSONNode)
    /// `add` of JSON Patch: arrays make room.
    case insert(JSONNode)
  }

  @usableFromInline package var operation: Operation
  /// Missing steps may be made (`PUT`, `add`).
  @usableFromInline package var mayCreate: Bool
  /// The place was not there before and is now.
  @usableFromInline package var created = false
  /// There was nothing to remove.
  @usableFromInline package var wasAbsent = false
  /// The id of the element that was added.
  @usableFromInline package var newKey: AnyKey?
  @usableFromInline package var outcome: WriteOutcome = .kept
  /// Read-only members that were sent and differ so far: they must equal the finished result.
  @usableFromInline package var echoes: [ReadOnlyEcho] = []
  /// The id that the address gives to the element that is being made.
  @usableFromInline var impliedKey: AnyKey?
  /// What was kept is put back: hidden and read-only members are written too, and constraints are not asked.
  @usableFromInline var isRestoring = false
  /// The optional at hand, with all its layers, may be edited, but not filled and not given another identity.
  @usableFromInline var editsOnly = false
  /// The members on the way from the root to what is being written.
  @usableFromInline var trail: [Step]
  /// The names of those below the place that was addressed.
  @usableFromInline var names: [String] = []
  /// How many structs and payloads are around what is written now; the layers of an optional are none.
  @usableFromInline var depth = 0

  /// What is to be noted of the place.
  @usableFromInline package var wanted = Notes.none
  /// Whether the edit has made another value of a stored place that was there.
  @usableFromInline package internal(set) var isChange: Bool?
  /// Where the JSON of a scalar may be written.
  @usableFromInline package var room: [UInt8] = []
  /// What it has made of a stored scalar, while that is small.
  @usableFromInline var scalar: NotedScalar?
  /// The digest of a computed place before the edit, and of what the edit makes of it before any setter runs.
  @usableFromInline package internal(set) var untouched: Digest?
  @usableFromInline package internal(set) var intended: Digest?

  @usableFromInline
  package init(_ operation: Operation, mayCreate: Bool = false, along route: Route) {
    self.operation = operation
    self.mayCreate = mayCreate
    self.trail = route.steps
  }

  /// Gives away what the edit has made of a stored scalar.
  package mutating func takeScalar() -> NotedScalar? {
    defer { scalar = nil }
    return scalar
  }

  @usableFromInline
  mutating func takeRoom() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &room)
    return taken
  }

  /// What was sent; nil for a removal.
  @inlinable
  package var node: JSONNode? {
    switch operation {
    case .merge(let node), .replace(let node), .append(let node), .insert(let node): node
    case .remove: nil
    }
  }

  /// What somebody wants to know of the place that is edited.
  @usableFromInline
  package enum Notes {
    case none
    /// Of a stored place, what becomes of it: nothing else on the way changes. Of a scalar perhaps also what it was.
    case change(DigestKey, withBefore: Bool)
    /// Of a computed one, what its setter is asked for, to be compared with what it keeps.
    case intention(DigestKey)
  }

  /// Notes what the place becomes while `body` edits it.
  @inlinable @inline(__always)
  mutating func noting<Value>(
    _ value: inout Value, _ shape: Shape<Value>, _ body: (inout Value, inout Edit) throws(EditError) -> Void
  ) throws(EditError) {
    let wanted = wanted
    // The parts of what is written are edited in the same way, but are not what is asked about.
    self.wanted = .none
    switch wanted {
    case .none: try body(&value, &self)
    case .change(let key, let withBefore):
      let before = value
      try body(&value, &self)
      isChange = !shape.areSame(before, value)
      guard shape.type.isScalar, let json = NotedScalar.json(value, shape, in: takeRoom()) else { return }
      scalar = NotedScalar(
        json: json, digest: key.leaf(json.span), before: withBefore ? NotedScalar.json(before, shape) : nil)
    case .intention(let key):
      untouched = shape.digest(value, key)
      try body(&value, &self)
      intended = shape.digest(value, key)
    }
  }

  @inlinable
  var isReplacing: Bool {
    switch operation {
    case .replace, .insert: true
    case .merge, .append, .remove: false
    }
  }

  /// Something new is made: what it lacks takes defaults. Inside a container that is replaced nothing may be left out.
  @inlinable
  var isCreating: Bool { !isReplacing || depth == 0 }

  /// Makes a value of what was sent.
  @inlinable
  mutating func decoding<R>(
    _ strictness: Decoding.Strictness, _ body: (inout Decoding) throws(ValidationError) -> R
  ) throws(EditError) -> R {
    var decoding = Decoding(isRestoring ? .stored : strictness)
    decoding.impliedKey = impliedKey
    impliedKey = nil
    do throws(ValidationError) {
      let value = try body(&decoding)
      outcome = max(outcome, decoding.outcome)
      return value
    } catch { throw .invalid(error) }
  }

  /// Runs `body` for a part of what was sent, with this edit turned to that part.
  @inlinable
  mutating func part<R>(
    _ node: JSONNode, _ step: Step, _ name: String?, isLayer: Bool = false, _ body: (inout Edit) throws(EditError) -> R
  ) throws(EditError) -> R {
    let whole = operation
    operation = isReplacing ? .replace(node) : .merge(node)
    trail.append(step)
    if let name { names.append(name) }
    if !isLayer { depth += 1 }
    defer {
      operation = whole
      trail.removeLast()
      if name != nil { names.removeLast() }
      if !isLayer { depth -= 1 }
    }
    do throws(EditError) { return try body(&self) } catch { throw name.map(error.under) ?? error }
  }
}

/// A scalar that an edit has written, as it is shown.
@usableFromInline
package struct NotedScalar: Sendable {
  package let json: [UInt8]
  package let digest: Digest
  /// What it was, where somebody wants to know.
  package let before: [UInt8]?

  @usableFromInline
  init(json: [UInt8], digest: Digest, before: [UInt8]?) {
    self.json = json
    self.digest = digest
    self.before = before
  }

  /// The JSON of a value, written in room that may be there; nil where it is long: notes are kept while answers wait.
  @inlinable
  static func json<Value>(_ value: Value, _ shape: Shape<Value>, in room: consuming [UInt8] = []) -> [UInt8]? {
    var writer = JSONWriter(reusing: room)
    shape.encode(value, into: &writer)
    return writer.bytes.count <= 1_024 ? writer.bytes : nil
  }
}

/// Whether a binding's setter did what it was asked to.
@usableFromInline
package enum WriteOutcome: Int, Sendable, Comparable {
  case kept
  /// The place changed to something else.
  case adjusted
  /// The place stayed as it was.
  case dropped

  @inlinable
  package static func < (a: WriteOutcome, b: WriteOutcome) -> Bool { a.rawValue < b.rawValue }
}

/// A read-only member that was sent along.
@usableFromInline
package struct ReadOnlyEcho {
  @usableFromInline package let steps: [Step]
  @usableFromInline package let node: JSONNode
  @usableFromInline package let names: [String]

  @inlinable
  init(steps: [Step], node: JSONNode, names: [String]) {
    self.steps = steps
    self.node = node
    self.names = names
  }
}
