import JSON

/// Writes what leads from one version of a value to another; elements are named by their ids.
///
/// What is shown makes a JSON Patch (RFC 6902). What is kept differs from one in that an element is named by its id
/// where it is added or moved to, too, and its position stands beside (`at`): an id of digits is never taken for an
/// index.
@usableFromInline
package struct Difference {
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
  package var isAsShown: Bool { writer.isAsShown && back?.isAsShown ?? true }
  private var writer = StoredWriter()
  /// The way back; nil where nobody wants it.
  private var back: StoredWriter?
  /// What is written leads both ways at once.
  @usableFromInline var isBothWays: Bool
  private var path: [UInt8] = []

  /// - Parameter withWayBack: what leads back is written in the same walk.
  package init(_ scope: Scope = .shown, withWayBack: Bool = false) {
    self.scope = scope
    isBothWays = withWayBack
    writer.writer.beginArray()
    if withWayBack { back = writer }
  }

  /// The patch.
  package mutating func finish() -> [UInt8] {
    writer.writer.endArray()
    return writer.writer.bytes
  }

  /// The patch that leads back; nil where it was not asked for.
  package mutating func finishBack() -> [UInt8]? {
    back?.writer.endArray()
    return back?.writer.bytes
  }

  /// Goes there and then back, for steps of which the way back is not the same steps the other way round.
  @usableFromInline
  mutating func eachWay<Value>(
    _ old: Value, _ new: Value, _ body: (Value, Value, inout Difference) -> Bool
  ) -> Bool {
    isBothWays = false
    defer { isBothWays = true }
    guard body(old, new, &self) else { return false }
    return onWayBack { body(new, old, &$0) }
  }

  private mutating func onWayBack<R>(_ body: (inout Difference) -> R) -> R {
    swapWays()
    defer { swapWays() }
    return body(&self)
  }

  private mutating func swapWays() {
    guard let other = back else { return }
    back = writer
    writer = other
  }

  @usableFromInline
  mutating func under(_ segment: String, _ body: (inout Difference) -> Void) {
    let length = path.count
    path.append(UInt8(ascii: "/"))
    path.append(contentsOf: Pointer.escaped(segment).utf8)
    body(&self)
    path.removeLast(path.count - length)
  }

  /// A hidden member is gone through: what is shown has no such operation.
  @usableFromInline
  mutating func underHidden(_ segment: String, _ body: (inout Difference) -> Void) {
    let before = count
    under(segment, body)
    if count != before { writer.isAsShown = false }
  }

  @usableFromInline
  mutating func replace<Value>(_ old: Value, by new: Value, _ shape: Shape<Value>) {
    write("replace", new, shape, at: nil)
    if isBothWays { onWayBack { $0.write("replace", old, shape, at: nil) } }
  }

  /// The entry at the path comes to be.
  @usableFromInline
  mutating func add<Value>(_ value: Value, _ shape: Shape<Value>) { write("add", value, shape, at: nil) }

  /// The element of an id comes to stand at an index of the sequence at the path.
  @usableFromInline
  mutating func add<Value>(_ value: Value, _ shape: Shape<Value>, id: String, at index: Int) {
    if scope == .stored {
      under(id) { $0.write("add", value, shape, at: index) }
    } else {
      under(String(index)) { $0.write("add", value, shape, at: nil) }
    }
  }

  @usableFromInline
  mutating func remove() {
    begin("remove")
    pointer("path")
    writer.writer.endObject()
  }

  /// The element of an id comes to stand at an index of the sequence at the path.
  @usableFromInline
  mutating func move(id: String, to index: Int) {
    begin("move")
    if scope == .stored {
      under(id) { $0.pointer("path") }
      position(index)
    } else {
      under(id) { $0.pointer("from") }
      under(String(index)) { $0.pointer("path") }
    }
    writer.writer.endObject()
  }

  private mutating func write<Value>(_ name: String, _ value: Value, _ shape: Shape<Value>, at index: Int?) {
    begin(name)
    pointer("path")
    if let index { position(index) }
    writer.writer.key("value")
    if scope == .stored { shape.store(value, into: &writer) } else { shape.encode(value, into: &writer.writer) }
    writer.writer.endObject()
  }

  private mutating func begin(_ name: String) {
    count += 1
    writer.writer.beginObject()
    writer.writer.key("op")
    writer.writer.string(name)
  }

  private mutating func pointer(_ name: String) {
    writer.writer.key(name)
    let text = path
    writer.writer.string(utf8: text.span)
  }

  private mutating func position(_ index: Int) {
    writer.writer.key("at")
    writer.writer.integer(Int64(index))
  }
}

extension Shape {
  /// Appends what leads from `old` to `new`.
  @usableFromInline
  package func difference(from old: Value, to new: Value, _ difference: inout Difference) {
    // Compared by hand where computed members may differ although what is stored below does not.
    if let parts = operations.difference {
      if !parts(old, new, &difference) { difference.replace(old, by: new, self) }
    } else if !areSame(old, new) {
      difference.replace(old, by: new, self)
    }
  }
}
