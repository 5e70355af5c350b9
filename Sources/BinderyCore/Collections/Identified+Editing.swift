extension Identified {
  /// Edits the element with an id, and gives what `body` gave.
  ///
  /// Nothing happens and the result is nil where there is no such element, or where `body` gave it another id.
  ///
  /// - Throws: What `body` throws; nothing has changed then.
  @discardableResult @inlinable
  public mutating func edit<R, E: Error>(
    id: Element.ID, _ body: (inout Element) throws(E) -> R
  ) throws(E) -> R? {
    try edit(HashedKey(id), body)
  }

  /// Edits the element at an index, and gives what `body` gave.
  ///
  /// Nothing happens and the result is nil where the index is out of range, or where `body` gave another id.
  ///
  /// - Throws: What `body` throws; nothing has changed then.
  @discardableResult @inlinable
  public mutating func edit<R, E: Error>(
    at index: Int, _ body: (inout Element) throws(E) -> R
  ) throws(E) -> R? {
    guard let label = order.entry(at: index)?.label else { return nil }
    return try edit(label: label, body)
  }

  @inlinable @inline(__always)
  mutating func edit<R, E: Error>(
    label: UInt64, _ body: (inout Element) throws(E) -> R
  ) throws(E) -> R? {
    var result: R?
    let root = try order.root.editing(label) { element throws(E) in
      let id = element.id
      let outcome = try body(&element)
      if Element.ID.areSame(element.id, id) { result = outcome }
    }
    if result != nil { order.root = root }
    return result
  }

  /// Replaces the element with the same id, or appends where there is none; gives the one replaced.
  @discardableResult @inlinable
  public mutating func update(_ element: Element) -> Element? {
    guard let place = find(element.id) else {
      put(element, at: count)
      return nil
    }
    order.update(place.label, to: element)
    return place.leaf.entries[place.offset].value
  }

  /// Adds an element at the end.
  ///
  /// - Throws: `DuplicateID` where its id is taken.
  @inlinable
  public mutating func append(_ element: Element) throws(DuplicateID) {
    guard find(element.id) == nil else { throw DuplicateID() }
    put(element, at: count)
  }

  /// Adds an element so that it stands at `index`, which may be `count`.
  ///
  /// - Throws: `InsertionError` where its id is taken or the index is out of range.
  @inlinable
  public mutating func insert(_ element: Element, at index: Int) throws(InsertionError) {
    guard index >= 0, index <= count else { throw .indexOutOfRange }
    guard find(element.id) == nil else { throw .duplicateID }
    put(element, at: index)
  }

  /// Removes the element with an id and gives it; nil where there is none.
  @discardableResult @inlinable
  public mutating func remove(id: Element.ID) -> Element? {
    guard let place = find(id) else { return nil }
    let element = place.leaf.entries[place.offset].value
    vacate(place.slot)
    order.remove(place.label)
    return element
  }

  /// Removes the element at an index and gives it; nil where the index is out of range.
  @discardableResult @inlinable
  public mutating func remove(at index: Int) -> Element? {
    guard let element = element(at: index) else { return nil }
    return remove(id: element.id)
  }

  /// Moves the element with an id so that it stands at `index` afterwards.
  ///
  /// Nothing happens and the result is false where there is no such element or the index is out of range.
  @discardableResult @inlinable
  public mutating func move(id: Element.ID, to index: Int) -> Bool {
    guard index >= 0, index < count, let place = find(id) else { return false }
    guard order.rank(of: place.label) != index else { return true }
    let element = place.leaf.entries[place.offset].value
    vacate(place.slot)
    order.remove(place.label)
    put(element, at: index)
    return true
  }

  /// Adds an element whose id is new at an index that is in range.
  @inlinable
  mutating func put(_ element: Element, at index: Int) {
    let label = makeLabel(at: index)
    order.insert(element, label)
    note(element.id, label)
  }
}
