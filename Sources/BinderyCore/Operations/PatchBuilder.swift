import BinderyJSON
import BinderyText

/// Builds the patch from one version of a value to another.
///
/// With indices it is a JSON Patch (RFC 6902) that any library can apply. With ids, elements keep their address however
/// they move; the position of an element that is added or moved is a separate member (`at`), so that an id of digits is
/// never mistaken for an index. The patches of a revision, which have undo patches, use ids; the paths with indices are
/// recorded beside them.
@usableFromInline
package struct PatchBuilder {
  /// The members that a patch includes.
  @usableFromInline
  package enum Scope: Sendable {
    /// All members that clients see, computed members included.
    case shown
    /// The stored members that clients see, in the storage format, and without hidden members in their values.
    case history
    /// All stored members, hidden ones included.
    case stored
    /// The stored members that clients see, in the storage format.
    case data
  }

  /// The names of elements in the paths of a patch.
  @usableFromInline
  package enum Addressing: Sendable {
    /// The position of the element when the operation is applied.
    case indices
    /// The id of the element.
    case ids
  }

  @usableFromInline package let scope: Scope
  @usableFromInline package let addressing: Addressing
  /// Whether the stored scope leaves hidden members unchanged, except those of values that are replaced as a whole.
  @usableFromInline let skipsHidden: Bool
  /// The number of operations so far.
  @usableFromInline package private(set) var count = 0
  /// In the stored scope: indicates whether the patches of the `history` scope would differ only in the notation of
  /// positions.
  package var matchesShown: Bool { writer.matchesShown && undoWriter.matchesShown }
  /// The length of the patch in bytes above which it is not continued.
  private let maximumBytes: Int
  var writer = StoredWriter()
  private var undoWriter = StoredWriter()
  private let hasUndo: Bool
  /// The path of each operation with positions instead of ids, as elements of a JSON array.
  private var pointers = JSONWriter()
  private var undoPointers = JSONWriter()
  /// Whether the path of an operation has an element.
  private var hasPositions = false
  /// Whether each operation also writes its inverse to the undo patch.
  @usableFromInline var writesUndo: Bool
  /// The current path, in the form of ``Pointer/json(_:)``.
  private var path: [UInt8] = []
  /// The current path with positions instead of ids; empty without an undo patch.
  private var indexedPath: [UInt8] = []
  /// The number of elements on the current path whose positions are known.
  private var positionCount = 0

  /// Creates a patch without operations.
  ///
  /// - Parameters:
  ///   - scope: the members to include.
  ///   - addressing: the names of elements; the stored and the history scope require ids.
  ///   - skipsHidden: true to leave hidden members unchanged in the stored scope.
  ///   - withUndo: true to build the undo patch in the same traversal.
  ///   - maximumBytes: the length of the patch above which it is not continued. Check ``isFull`` at the end.
  package init(
    _ scope: Scope, _ addressing: Addressing = .ids, skippingHidden skipsHidden: Bool = false, withUndo: Bool = false,
    stoppingAt maximumBytes: Int = .max
  ) {
    self.maximumBytes = maximumBytes
    self.scope = scope
    self.addressing = addressing
    self.skipsHidden = skipsHidden
    writesUndo = withUndo
    hasUndo = withUndo
    // Most changes are short: avoid growing the buffers step by step.
    path.reserveCapacity(128)
    writer.writer.bytes.reserveCapacity(256)
    writer.writer.beginArray()
    if maximumBytes < .max { writer.writer.resume(stoppingAt: maximumBytes) }
    writer.writer.omitsComputed = scope == .history
    undoWriter.writer.omitsComputed = scope == .history
    guard withUndo else { return }
    indexedPath.reserveCapacity(128)
    pointers.beginArray()
    undoPointers.beginArray()
    undoWriter.writer.bytes.reserveCapacity(256)
    undoWriter.writer.beginArray()
  }

  /// Whether the patch is longer than its maximum, and therefore incomplete.
  @usableFromInline package var isFull: Bool {
    maximumBytes < .max && (writer.writer.hasStopped || writer.writer.bytes.count > maximumBytes)
  }

  /// Ends the patch and returns its text. Call this once.
  package mutating func finish() -> [UInt8] {
    writer.writer.endArray()
    return writer.writer.bytes
  }

  /// Ends the undo patch and returns its text, or nil if the builder was created without one. Call this once.
  package mutating func finishUndo() -> [UInt8]? {
    guard hasUndo else { return nil }
    undoWriter.writer.endArray()
    return undoWriter.writer.bytes
  }

  /// Ends the lists of the paths with positions, and returns them; nil if no path has an element. Call this once.
  package mutating func finishPositions() -> Revision.Pair? {
    guard hasPositions else { return nil }
    pointers.endArray()
    undoPointers.endArray()
    return Revision.Pair(patch: pointers.bytes, undo: undoPointers.bytes)
  }

  /// Whether the positions of elements are needed.
  @usableFromInline var needsPositions: Bool { hasUndo || addressing == .indices }

  /// Builds the patch and the undo patch one after the other.
  ///
  /// For types whose undo operations are not the inverse of each operation, such as moves within a sequence.
  @usableFromInline
  mutating func inBothDirections<Value>(
    _ old: Value, _ new: Value, _ body: (Value, Value, inout PatchBuilder) -> Bool
  ) -> Bool {
    writesUndo = false
    defer { writesUndo = true }
    guard body(old, new, &self) else { return false }
    return withUndoWriter { body(new, old, &$0) }
  }

  /// Runs `body` while operations are written to the undo patch.
  mutating func withUndoWriter<R>(_ body: (inout PatchBuilder) -> R) -> R {
    swap(&writer, &undoWriter)
    swap(&pointers, &undoPointers)
    defer {
      swap(&writer, &undoWriter)
      swap(&pointers, &undoPointers)
    }
    return body(&self)
  }

  /// Runs `body` with a segment appended to the current path.
  @usableFromInline
  mutating func under(_ segment: String, _ body: (inout PatchBuilder) -> Void) { under(Pointer.json(segment), body) }

  /// Runs `body` with a segment appended to the current path.
  ///
  /// - Parameter segment: encoded as by ``Pointer/json(_:)``.
  @usableFromInline
  mutating func under(_ segment: [UInt8], _ body: (inout PatchBuilder) -> Void) {
    restoringPath { builder in
      builder.append(segment)
      body(&builder)
    }
  }

  /// Runs `body`, which may append to the current path, and removes what it has appended.
  private mutating func restoringPath(_ body: (inout PatchBuilder) -> Void) {
    let (length, indexedLength, count) = (path.count, indexedPath.count, positionCount)
    body(&self)
    path.removeSubrange(length...)
    indexedPath.removeSubrange(indexedLength...)
    positionCount = count
  }

  /// Appends a segment, encoded as by ``Pointer/json(_:)``, to the current path.
  private mutating func append(_ segment: [UInt8]) {
    path.append(contentsOf: segment)
    if hasUndo { indexedPath.append(contentsOf: segment) }
  }

  /// Runs `body` for a hidden member. Clients do not see its operations, so the patches differ if there are any.
  @usableFromInline
  mutating func throughHidden(_ body: (inout PatchBuilder) -> Void) {
    let before = count
    body(&self)
    if count != before { writer.matchesShown = false }
  }

  /// Runs `body` with an element of the sequence at the current path appended to the path.
  ///
  /// - Parameter index: Returns the position of the element.
  @usableFromInline
  mutating func under(
    element id: some PathKey, at index: @autoclosure () -> Int?, _ body: (inout PatchBuilder) -> Void
  ) {
    let position = needsPositions ? index() : nil
    restoringPath { builder in
      switch builder.addressing {
      case .indices:
        if let position { builder.path.append(position: position) } else { id.append(segmentTo: &builder.path) }
      case .ids: builder.append(element: { id.append(segmentTo: &$0) }, at: position)
      }
      body(&builder)
    }
  }

  /// Appends an element of the sequence at the current path to the path with ids and, if its position is known, to the
  /// path with positions.
  private mutating func append(element appendID: (inout [UInt8]) -> Void, at position: Int?) {
    let start = path.count
    appendID(&path)
    guard hasUndo else { return }
    if let position {
      positionCount += 1
      indexedPath.append(position: position)
    } else {
      indexedPath.append(contentsOf: path[start...])
    }
  }

  /// Makes a place of a root value the current path.
  ///
  /// - Parameters:
  ///   - steps: the steps to the place, without positions and computed members.
  ///   - type: the type of the root value.
  ///   - positions: Returns the positions of the elements of sequences among the steps.
  mutating func go(to steps: ArraySlice<Step>, in type: TypeInfo, _ positions: () -> [Int]) {
    path.removeAll(keepingCapacity: true)
    indexedPath.removeAll(keepingCapacity: true)
    positionCount = 0
    var type = type
    var elements: [Int]?
    for step in steps {
      switch (type.kind, step) {
      case (.product(let product), .member(let index)):
        append(product.members[index].segment)
        type = product.members[index].type
      case (.sum(let cases), .payload(let index)):
        guard let payload = cases[index].payload else { return }
        append(cases[index].segment)
        type = payload
      case (.elements(let element, _), .key(let key)):
        let known = elements ?? positions()
        elements = known
        append(element: key.append(segmentTo:), at: positionCount < known.count ? known[positionCount] : nil)
        type = element
      case (.dictionary(let entry, _), .key(let key)):
        append(element: key.append(segmentTo:), at: nil)
        type = entry
      case (.optional(let wrapped), .wrapped):
        if case .optional = wrapped.kind { append(Self.some) }
        type = wrapped
      default: preconditionFailure("the steps of a change fit the types")
      }
    }
  }

  /// The segment of the value in a double optional.
  private static let some = Pointer.json("some")

  /// Appends the removal of the value at the current path.
  @usableFromInline
  mutating func remove() {
    begin(Opening.remove)
    writer.writer.endObject()
  }

  /// Appends the move of the element at the current path to an index of its sequence.
  @usableFromInline
  mutating func move(to index: Int) {
    // The storage format.
    if scope != .shown {
      begin(Opening.move)
    } else {
      begin(Opening.moveFrom)
      writer.writer.key("path")
      if addressing == .ids {
        writer.writer.string(escaped: path)
      } else {
        // Slashes within segments are escaped.
        var destination = Array(path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)])
        destination.append(position: index)
        writer.writer.string(escaped: destination)
      }
    }
    if addressing == .ids { position(index) }
    writer.writer.endObject()
  }

  /// Begins the JSON object of an operation on the current path.
  mutating func begin(_ opening: [UInt8]) {
    count += 1
    if hasUndo {
      if positionCount > 0 { hasPositions = true }
      pointers.string(escaped: indexedPath)
    }
    writer.writer.key(precomputed: opening)
    writer.writer.string(escaped: path)
  }

  mutating func position(_ index: Int) {
    writer.writer.key("at")
    writer.writer.integer(Int64(index))
  }
}

/// Precomputed JSON fragments of operations. An opening ends before the value of its last key.
enum Opening {
  static let add = opening("add", "path")
  static let remove = opening("remove", "path")
  static let replace = opening("replace", "path")
  static let move = opening("move", "path")
  static let moveFrom = opening("move", "from")
  /// The key of the value of an operation.
  static let value = JSONWriter.precomputedKey("value")

  private static func opening(_ name: String, _ lastKey: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("op")
    writer.string(name)
    writer.key(lastKey)
    return writer.bytes
  }
}

extension [UInt8] {
  /// Appends the pointer segment of a position in a sequence.
  fileprivate mutating func append(position: Int) {
    append(UInt8(ascii: "/"))
    append(decimal: UInt64(position.magnitude))
  }
}
