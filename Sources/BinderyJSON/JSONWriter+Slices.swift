/// A long text is written a slice at a time: the writer stops behind an element once it has written enough, and each
/// that is writing a part of the whole notes, on its way out, where it was. When the same value is written again by the
/// same writer, each finds what it noted, and the text goes on where it had stopped.
extension JSONWriter {
  @usableFromInline
  package enum Phase: Sendable {
    case writing
    /// What was begun in earlier slices is being looked up.
    case resuming
    /// The slice is full.
    case stopped
  }

  /// A writer that stops once it has written so many bytes.
  package init(stoppingAt length: Int) {
    self.init()
    end = length
  }

  /// Whether there is more to write than the slice has taken.
  @inlinable package var hasStopped: Bool { phase == .stopped }

  /// Whether an earlier slice has begun what is to be written.
  @inlinable package var isResuming: Bool { phase == .resuming }

  /// Begins the next slice, which is full with so many bytes: the value that is to be written is the same.
  package mutating func resume(stoppingAt length: Int) {
    end = length
    phase = notes.isEmpty ? .writing : .resuming
  }

  /// Keeps what was made for the sake of a part in which the slice ends, and is not to be made again.
  @usableFromInline
  package mutating func note(_ note: some Sendable) { notes.append(note) }

  /// What was noted last: those who are outside take theirs first.
  @usableFromInline
  package mutating func takeNote<Note: Sendable>(_: Note.Type) -> Note? {
    let note = notes.popLast()
    if notes.isEmpty { phase = .writing }
    return note as? Note
  }

  /// Begins an object of which each member may stop, or goes on with it.
  ///
  /// - Returns: the index of the member that comes next.
  @inlinable
  package mutating func openObject() -> Int {
    if isResuming { return takeNote(Int.self) ?? 0 }
    beginObject()
    return 0
  }

  /// Whether the slice ends inside the member at an index; there it will go on.
  @inlinable
  package mutating func stops(inside index: Int) -> Bool {
    guard hasStopped else { return false }
    note(index)
    return true
  }

  /// Whether the slice ends inside the element at an index, or behind it; there it will go on.
  @inlinable
  package mutating func stops(behind index: Int) -> Bool {
    if hasStopped {
      note(index)
      return true
    }
    guard bytes.count >= end else { return false }
    phase = .stopped
    note(index + 1)
    return true
  }

  /// Writes an object with one member.
  ///
  /// - Parameter name: as `precomputedKey(_:)` spelled it.
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
  /// - Parameter elements: those from an index on.
  @inlinable
  package mutating func array<Elements: Sequence>(
    from first: Int = 0, _ elements: (Int) -> Elements, _ write: (Elements.Element, inout JSONWriter) -> Void
  ) {
    var index = first
    if isResuming { index = takeNote(Int.self) ?? first } else { beginArray() }
    for element in elements(index) {
      write(element, &self)
      if stops(behind: index) { return }
      index += 1
    }
    endArray()
  }
}
