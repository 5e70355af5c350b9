/// Incremental encoding: a long text is written in slices, so that one large response does not block an event loop.
///
/// 1. The writer stops after an element once the slice has enough bytes.
/// 2. While the encoding functions return, from the innermost to the outermost, each one saves its position with
///    `saveState(_:)`.
/// 3. To write the next slice, the same value is encoded again by the same writer. Each encoding function, from the
///    outermost to the innermost, restores its position with `restoreState(_:)`, and writing continues there.
extension JSONWriter {
  /// The state of incremental encoding.
  @usableFromInline
  package enum Phase: Sendable {
    case writing
    /// The encoding functions are restoring the positions that the previous slice saved.
    case resuming
    /// The slice is full.
    case stopped
  }

  /// Creates a writer that stops after the element with which it has written `length` bytes or more.
  ///
  /// - Parameter buffer: An array whose storage is reused.
  package init(reusing buffer: consuming [UInt8] = [], stoppingAt length: Int) {
    self.init(reusing: buffer)
    end = length
  }

  /// Whether the slice is full and more is to be written.
  @inlinable package var hasStopped: Bool { phase == .stopped }

  /// Whether an earlier slice has already begun the value that is about to be written.
  @inlinable package var isResuming: Bool { phase == .resuming }

  /// Begins the next slice of the same value.
  ///
  /// - Parameter length: The length of `bytes` at which the slice is full.
  package mutating func resume(stoppingAt length: Int) {
    end = length
    phase = savedStates.isEmpty ? .writing : .resuming
  }

  /// Saves state that the next slice needs to continue: a position, or a value that is expensive to compute again.
  @usableFromInline
  package mutating func saveState(_ state: some Sendable) { savedStates.append(state) }

  /// Removes and returns the state that was saved last.
  ///
  /// Inner containers save first, so outer containers, which restore first, find their own state on top.
  @usableFromInline
  package mutating func restoreState<State: Sendable>(_: State.Type) -> State? {
    let state = savedStates.popLast()
    if savedStates.isEmpty { phase = .writing }
    return state as? State
  }

  /// Begins an object, or continues one that an earlier slice has begun.
  ///
  /// - Returns: The index of the next member to write.
  @inlinable
  package mutating func openObject() -> Int {
    if isResuming { return restoreState(Int.self) ?? 0 }
    beginObject()
    return 0
  }

  /// Returns whether the slice ended inside the member at an index, and saves that position.
  @inlinable
  package mutating func stops(inside index: Int) -> Bool {
    guard hasStopped else { return false }
    saveState(index)
    return true
  }

  /// Returns whether the slice ends inside or after the element at an index, and saves that position.
  @inlinable
  package mutating func stops(after index: Int) -> Bool {
    if hasStopped {
      saveState(index)
      return true
    }
    guard bytes.count >= end else { return false }
    phase = .stopped
    saveState(index + 1)
    return true
  }

  /// Writes an object with one member, or the next slice of it.
  ///
  /// - Parameter name: The encoded name, as `precomputedKey(_:)` returns it.
  @inlinable
  package mutating func object(_ name: [UInt8], _ write: (inout JSONWriter) -> Void) {
    if !isResuming {
      beginObject()
      key(precomputed: name)
    }
    write(&self)
    if !hasStopped { endObject() }
  }

  /// Writes an array, or the next slice of it.
  ///
  /// - Parameters:
  ///   - first: The index of the array's first element.
  ///   - elements: Returns the elements from an index on.
  ///   - write: Writes one element.
  @inlinable
  package mutating func array<Elements: Sequence>(
    from first: Int = 0, _ elements: (Int) -> Elements, _ write: (Elements.Element, inout JSONWriter) -> Void
  ) {
    var index = first
    if isResuming { index = restoreState(Int.self) ?? first } else { beginArray() }
    for element in elements(index) {
      write(element, &self)
      if stops(after: index) { return }
      index += 1
    }
    endArray()
  }
}
