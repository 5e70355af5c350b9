import BinderyJSON

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

    /// Whether the patch is in the storage format.
    var isStorageFormat: Bool {
      switch self {
      case .stored, .data, .history: true
      case .shown: false
      }
    }
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
  /// The elements on the current path: the number of segments before each, and its position.
  @usableFromInline var positions: [(depth: Int, index: Int)] = []
  /// The path of each operation with positions instead of ids, as elements of a JSON array.
  private var pointers = JSONWriter()
  private var undoPointers = JSONWriter()
  /// Whether the path of an operation has an element.
  private var hasPositions = false
  /// Indicates whether each operation also writes its inverse to the undo patch.
  @usableFromInline var writesUndo: Bool
  /// The segments of the current path, as ``Pointer/json(_:)`` encodes them.
  @usableFromInline var path: [[UInt8]] = []

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
    path.reserveCapacity(8)
    writer.writer.bytes.reserveCapacity(256)
    writer.writer.beginArray()
    if maximumBytes < .max { writer.writer.resume(stoppingAt: maximumBytes) }
    writer.writer.omitsComputed = scope == .history
    undoWriter.writer.omitsComputed = scope == .history
    guard withUndo else { return }
    pointers.beginArray()
    undoPointers.beginArray()
    undoWriter.writer.bytes.reserveCapacity(256)
    undoWriter.writer.beginArray()
  }

  /// Indicates whether the patch is longer than its maximum, and therefore incomplete.
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
  package mutating func finishPositions() -> Revision.Positions? {
    guard hasPositions else { return nil }
    pointers.endArray()
    undoPointers.endArray()
    return Revision.Positions(patch: pointers.bytes, undo: undoPointers.bytes)
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
  @inlinable
  mutating func under(_ segment: [UInt8], _ body: (inout PatchBuilder) -> Void) {
    path.append(segment)
    body(&self)
    path.removeLast()
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
  @inlinable
  mutating func under(
    element id: some PathKey, at index: @autoclosure () -> Int?, _ body: (inout PatchBuilder) -> Void
  ) {
    guard needsPositions, let index = index() else { return under(id.segment, body) }
    if addressing == .indices { return under(Array("/\(index)".utf8), body) }
    positions.append((path.count, index))
    under(id.segment, body)
    positions.removeLast()
  }

  /// Appends the removal of the value at the current path.
  @usableFromInline
  mutating func remove() {
    begin(Opening.remove)
    writer.writer.endObject()
  }

  /// Appends the move of the element at the current path to an index of its sequence.
  @usableFromInline
  mutating func move(to index: Int) {
    if scope.isStorageFormat {
      begin(Opening.move)
    } else {
      begin(Opening.moveFrom)
      writer.writer.key("path")
      writer.writer.string(escaped: addressing == .ids ? path : path.dropLast() + [Array("/\(index)".utf8)])
    }
    if addressing == .ids { position(index) }
    writer.writer.endObject()
  }

  /// Begins the JSON object of an operation on the current path.
  mutating func begin(_ opening: [UInt8]) {
    count += 1
    if hasUndo { recordPointer() }
    writer.writer.key(precomputed: opening)
    writer.writer.string(escaped: path)
  }

  /// Records the current path with positions.
  private mutating func recordPointer() {
    guard !positions.isEmpty else { return pointers.string(escaped: path) }
    hasPositions = true
    var path = self.path
    for (depth, index) in positions { path[depth] = Array("/\(index)".utf8) }
    pointers.string(escaped: path)
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

  private static func opening(_ name: String, _ lastKey: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("op")
    writer.string(name)
    writer.key(lastKey)
    return writer.bytes
  }
}
