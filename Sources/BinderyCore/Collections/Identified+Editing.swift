extension Identified {
  /// Edits the element with an id.
  ///
  /// - Returns: the result of `body`; nil if no element has this id or if `body` changed the id. The collection is then
  ///   unchanged.
  /// - Throws: any error thrown by `body`. The collection is then unchanged.
  @discardableResult @inlinable
  public mutating func edit<R, E: Error>(
    id: Element.ID, _ body: (inout Element) throws(E) -> R
  ) throws(E) -> R? {
    var label: UInt64 = 0
    return try edit(HashedKey(id), at: &label, body)
  }

  /// Edits the element at an index.
  ///
  /// - Returns: the result of `body`; nil if the index is out of range or if `body` changed the id. The collection is
  ///   then unchanged.
  /// - Throws: any error thrown by `body`. The collection is then unchanged.
  @discardableResult @inlinable
  public mutating func edit<R, E: Error>(
    at index: Int, _ body: (inout Element) throws(E) -> R
  ) throws(E) -> R? {
    guard let entry = order.entry(at: index) else { return nil }
    return try edit(entry.value.id, at: entry.label, body) ?? nil
  }

  /// Edits the element at a label, if it has an id. A `body` that changes the id has no effect.
  ///
  /// - Returns: The result of `body`, which is nil if it changed the id; nil if another element has the label.
  @inlinable @inline(__always)
  mutating func edit<R, E: Error>(
    _ id: Element.ID, at label: UInt64, _ body: (inout Element) throws(E) -> R
  ) throws(E) -> R?? {
    var result: R?
    let root = try order.root.editing(id, at: label) { element throws(E) in
      let outcome = try body(&element)
      if Element.ID._areSame(element.id, id) { result = outcome }
    }
    guard let root else { return nil }
    if result != nil { order.root = root }
    return .some(result)
  }

  /// Replaces the element with the same id, or appends the element if there is none.
  ///
  /// - Returns: the replaced element; nil if the element was appended.
  @discardableResult @inlinable
  public mutating func update(_ element: Element) -> Element? {
    var replaced: Element?
    edit(id: element.id) { old in
      replaced = old
      old = element
    }
    if replaced == nil { insertNew(element, at: count) }
    return replaced
  }

  /// Adds an element at the end.
  ///
  /// - Throws: ``DuplicateID`` if an element with the same id exists.
  @inlinable
  public mutating func append(_ element: Element) throws(DuplicateID) {
    guard !contains(id: element.id) else { throw DuplicateID(element.id) }
    insertNew(element, at: count)
  }

  /// Inserts an element at `index`, which may be equal to `count`.
  ///
  /// - Throws: ``InsertionError`` if an element with the same id exists or the index is out of range.
  @inlinable
  public mutating func insert(_ element: Element, at index: Int) throws(InsertionError) {
    guard index >= 0, index <= count else { throw .indexOutOfRange }
    guard !contains(id: element.id) else { throw .duplicateID }
    insertNew(element, at: index)
  }

  /// Removes the element with an id.
  ///
  /// - Returns: the removed element; nil if there is none.
  @discardableResult @inlinable
  public mutating func remove(id: Element.ID) -> Element? {
    let key = HashedKey(id)
    guard let entry = entry(of: key) else { return nil }
    index.remove(HashedLabel(hash: key.hash, label: entry.label))
    order.remove(entry.label)
    return entry.value
  }

  /// Removes the element at an index.
  ///
  /// - Returns: the removed element; nil if the index is out of range.
  @discardableResult @inlinable
  public mutating func remove(at index: Int) -> Element? {
    guard let element = element(at: index) else { return nil }
    return remove(id: element.id)
  }

  /// Moves the element with an id.
  ///
  /// - Parameter index: the index of the element after the move.
  /// - Returns: false if no element has this id or the index is out of range. The collection is then unchanged.
  @discardableResult @inlinable
  public mutating func move(id: Element.ID, to index: Int) -> Bool {
    guard index >= 0, index < count, let current = self.index(of: id) else { return false }
    if current != index, let element = remove(id: id) { insertNew(element, at: index) }
    return true
  }

  /// Inserts an element without checks: its id must be new and the index must be in range.
  @inlinable
  mutating func insertNew(_ element: Element, at index: Int) {
    let label = makeLabel(at: index)
    order.insert(element, label)
    addToIndex(element.id, label)
  }
}
