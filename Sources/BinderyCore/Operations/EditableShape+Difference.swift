import BinderyJSON

extension PatchBuilder {
  /// Appends the replacement of the value at the current path.
  @usableFromInline
  mutating func replace<Value>(_ old: Value, by new: Value, _ shape: EditableShape<Value>) {
    write(Opening.replace, new, shape, at: nil)
    if writesUndo { withUndoWriter { $0.write(Opening.replace, old, shape, at: nil) } }
  }

  /// Appends the addition of a dictionary entry at the current path.
  @usableFromInline
  mutating func add<Value>(_ value: Value, _ shape: EditableShape<Value>) { write(Opening.add, value, shape, at: nil) }

  /// Appends the addition or the removal of a member at the current path that JSON leaves out while it is nil.
  @usableFromInline
  mutating func changePresence<Value>(
    from old: Value, to new: Value, _ shape: EditableShape<Value>, isAdded: Bool
  ) {
    if isAdded { add(new, shape) } else { remove() }
    guard writesUndo else { return }
    withUndoWriter { if isAdded { $0.remove() } else { $0.add(old, shape) } }
  }

  /// Appends the insertion of an element at an index of the sequence at the current path.
  @inlinable
  mutating func add<Value>(_ value: Value, _ shape: EditableShape<Value>, id: some PathKey, at index: Int) {
    under(element: id, at: index) { $0.insert(value, shape, at: index) }
  }

  /// Appends the insertion of the element at the current path.
  @usableFromInline
  mutating func insert<Value>(_ value: Value, _ shape: EditableShape<Value>, at index: Int) {
    write(Opening.add, value, shape, at: addressing == .ids ? index : nil)
  }

  private mutating func write<Value>(_ opening: [UInt8], _ value: Value, _ shape: EditableShape<Value>, at index: Int?)
  {
    begin(opening)
    if let index { position(index) }
    writer.writer.key(precomputed: Opening.value)
    switch scope {
    case .stored, .data: shape.store(value, into: &writer)
    case .shown, .history: shape.encode(value, into: &writer.writer)
    }
    writer.writer.endObject()
  }
}

extension EditableShape {
  /// Appends the operations that turn `old` into `new`, both found under a segment of the current path.
  @inlinable
  func difference(from old: Value, to new: Value, under segment: [UInt8], _ difference: inout PatchBuilder) {
    // Most values are equal, and extending the path for them would be wasted.
    if operations.difference == nil, areSame(old, new) { return }
    difference.under(segment) { self.difference(from: old, to: new, &$0) }
  }

  /// Appends the operations that turn `old` into `new`.
  @usableFromInline
  package func difference(from old: Value, to new: Value, _ difference: inout PatchBuilder) {
    if difference.isFull { return }
    // No `areSame` check for types with parts: their computed members may differ although the stored members are equal.
    if let appendParts = operations.difference {
      if !appendParts(old, new, &difference) { difference.replace(old, by: new, self) }
    } else if !areSame(old, new) {
      difference.replace(old, by: new, self)
    }
  }
}
