import BinderyJSON

/// Writes what leads from one version of a value to another; elements are named by their ids.
///
/// What is shown makes a JSON Patch (RFC 6902). What is kept differs from one in that an element is named by its id
/// where it is added or moved to, too, and its position stands beside (`at`): an id of digits is never taken for an
/// index.
@usableFromInline
package struct PatchBuilder {
  @usableFromInline
  package enum Scope: Sendable {
    /// All that is shown, computed members included.
    case shown
    /// What is stored and shown: the computed members follow from it.
    case history
    /// What is stored, hidden members included.
    case stored
  }

  @usableFromInline package let scope: Scope
  /// How many operations there are.
  package private(set) var count = 0
  /// In the stored scope: the same of what is shown would be the same but for how positions are spelled.
  package var isAsShown: Bool { writer.isAsShown && back.isAsShown }
  private var writer = StoredWriter()
  /// The way back, where somebody wants it.
  private var back = StoredWriter()
  private let hasBack: Bool
  /// What is written leads both ways at once.
  @usableFromInline var isBothWays: Bool
  /// The segments of the path, as ``Pointer/json(_:)`` spells them.
  @usableFromInline var path: [[UInt8]] = []

  /// - Parameter withWayBack: what leads back is written in the same walk.
  package init(_ scope: Scope = .shown, withWayBack: Bool = false) {
    self.scope = scope
    isBothWays = withWayBack
    hasBack = withWayBack
    // Most changes are short, and room for them is had at once.
    path.reserveCapacity(8)
    writer.writer.bytes.reserveCapacity(256)
    writer.writer.beginArray()
    guard withWayBack else { return }
    back.writer.bytes.reserveCapacity(256)
    back.writer.beginArray()
  }

  /// The patch.
  package mutating func finish() -> [UInt8] {
    writer.writer.endArray()
    return writer.writer.bytes
  }

  /// The patch that leads back; nil where it was not asked for.
  package mutating func finishBack() -> [UInt8]? {
    guard hasBack else { return nil }
    back.writer.endArray()
    return back.writer.bytes
  }

  /// Goes there and then back, for steps of which the way back is not the same steps the other way round.
  @usableFromInline
  mutating func eachWay<Value>(
    _ old: Value, _ new: Value, _ body: (Value, Value, inout PatchBuilder) -> Bool
  ) -> Bool {
    isBothWays = false
    defer { isBothWays = true }
    guard body(old, new, &self) else { return false }
    return onWayBack { body(new, old, &$0) }
  }

  private mutating func onWayBack<R>(_ body: (inout PatchBuilder) -> R) -> R {
    swap(&writer, &back)
    defer { swap(&writer, &back) }
    return body(&self)
  }

  @usableFromInline
  mutating func under(_ segment: String, _ body: (inout PatchBuilder) -> Void) { under(Pointer.json(segment), body) }

  /// - Parameter segment: as ``Pointer/json(_:)`` spells it.
  @inlinable
  mutating func under(_ segment: [UInt8], _ body: (inout PatchBuilder) -> Void) {
    path.append(segment)
    body(&self)
    path.removeLast()
  }

  /// A hidden member is gone through: what is shown has no such operation.
  @usableFromInline
  mutating func throughHidden(_ body: (inout PatchBuilder) -> Void) {
    let before = count
    body(&self)
    if count != before { writer.isAsShown = false }
  }

  @usableFromInline
  mutating func replace<Value>(_ old: Value, by new: Value, _ shape: Shape<Value>) {
    write(Opening.replace, new, shape, at: nil)
    if isBothWays { onWayBack { $0.write(Opening.replace, old, shape, at: nil) } }
  }

  /// The entry at the path comes to be.
  @usableFromInline
  mutating func add<Value>(_ value: Value, _ shape: Shape<Value>) { write(Opening.add, value, shape, at: nil) }

  /// The element of an id comes to stand at an index of the sequence at the path.
  @usableFromInline
  mutating func add<Value>(_ value: Value, _ shape: Shape<Value>, id: String, at index: Int) {
    if scope == .stored {
      under(id) { $0.write(Opening.add, value, shape, at: index) }
    } else {
      under(String(index)) { $0.write(Opening.add, value, shape, at: nil) }
    }
  }

  @usableFromInline
  mutating func remove() {
    begin(Opening.remove)
    writer.writer.endObject()
  }

  /// The element of an id comes to stand at an index of the sequence at the path.
  @usableFromInline
  mutating func move(id: String, to index: Int) {
    if scope == .stored {
      under(id) { $0.begin(Opening.move) }
      position(index)
    } else {
      under(id) { $0.begin(Opening.moveFrom) }
      writer.writer.key("path")
      under(String(index)) { $0.writer.writer.string(escaped: $0.path) }
    }
    writer.writer.endObject()
  }

  private mutating func write<Value>(_ opening: [UInt8], _ value: Value, _ shape: Shape<Value>, at index: Int?) {
    begin(opening)
    if let index { position(index) }
    writer.writer.key("value")
    if scope == .stored { shape.store(value, into: &writer) } else { shape.encode(value, into: &writer.writer) }
    writer.writer.endObject()
  }

  /// Begins an operation on what stands at the path.
  private mutating func begin(_ opening: [UInt8]) {
    count += 1
    writer.writer.key(precomputed: opening)
    writer.writer.string(escaped: path)
  }

  private mutating func position(_ index: Int) {
    writer.writer.key("at")
    writer.writer.integer(Int64(index))
  }
}

extension PatchBuilder {
  /// The patch by which a scalar becomes one of which the JSON is known.
  ///
  /// - Parameter path: a pointer, escaped for JSON.
  package static func replacing(at path: [UInt8], by json: [UInt8]) -> [UInt8] {
    let (opening, middle, end) = (Opening.patchOfReplace, Opening.value, Opening.end)
    var patch: [UInt8] = []
    patch.reserveCapacity(byteCountOfReplacing(at: path, by: json))
    patch.append(contentsOf: opening)
    patch.append(contentsOf: path)
    patch.append(contentsOf: middle)
    patch.append(contentsOf: json)
    patch.append(contentsOf: end)
    return patch
  }

  /// How many bytes that patch has.
  package static func byteCountOfReplacing(at path: [UInt8], by json: [UInt8]) -> Int {
    Opening.patchOfReplace.count + path.count + Opening.value.count + json.count + Opening.end.count
  }
}

/// How operations begin, up to the place that they are for.
private enum Opening {
  static let add = spelled("add", "path")
  static let remove = spelled("remove", "path")
  static let replace = spelled("replace", "path")
  static let move = spelled("move", "path")
  static let moveFrom = spelled("move", "from")

  /// A patch of one replacement, up to the inside of the path; what stands behind that; and the end.
  static let patchOfReplace = Array("[".utf8) + replace + [UInt8(ascii: "\"")]
  static let value = Array(#"","value":"#.utf8)
  static let end = Array("}]".utf8)

  private static func spelled(_ name: String, _ place: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("op")
    writer.string(name)
    writer.key(place)
    return writer.bytes
  }
}

extension Shape {
  /// Appends what leads from `old` to `new`, which stand under a segment.
  @inlinable
  func difference(from old: Value, to new: Value, under segment: [UInt8], _ difference: inout PatchBuilder) {
    // Most values are what they were, and need no path to say so.
    if operations.difference == nil, areSame(old, new) { return }
    difference.under(segment) { self.difference(from: old, to: new, &$0) }
  }

  /// Appends what leads from `old` to `new`.
  @usableFromInline
  package func difference(from old: Value, to new: Value, _ difference: inout PatchBuilder) {
    // Compared by hand where computed members may differ although what is stored below does not.
    if let parts = operations.difference {
      if !parts(old, new, &difference) { difference.replace(old, by: new, self) }
    } else if !areSame(old, new) {
      difference.replace(old, by: new, self)
    }
  }
}
