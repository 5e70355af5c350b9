import BinderyText

/// A writer of canonical JSON: no whitespace and exactly one spelling for each value.
///
/// The writer inserts commas. The caller must write exactly one value, alternate names and values in objects, and end
/// every container that it has begun; the writer does not check this.
@usableFromInline
package struct JSONWriter: Sendable {
  /// The bytes written so far.
  @usableFromInline package var bytes: [UInt8]

  /// Whether the next value in the current container must be preceded by a comma.
  @usableFromInline var needsComma = false

  /// Whether the members of structs that are computed are left out.
  @usableFromInline package var omitsComputed = false
  /// The length of `bytes` at which the current slice is full. See `JSONWriter+Slices.swift`.
  @usableFromInline package var end = Int.max
  @usableFromInline var phase = Phase.writing
  /// The positions at which the next slice continues, from the innermost container to the outermost.
  var savedStates: [any Sendable] = []

  /// Creates an empty writer.
  @usableFromInline
  package init() {
    bytes = []
  }

  /// Creates an empty writer that reuses the capacity of a buffer.
  @usableFromInline
  package init(reusing buffer: consuming [UInt8]) {
    bytes = []
    reuse(buffer)
  }

  /// Replaces what was written by nothing and reuses the capacity of a buffer.
  package mutating func reuse(_ buffer: consuming [UInt8]) {
    // `removeAll` on an empty array would write a zero count to the storage that all empty arrays share, which is a
    // data race.
    if !buffer.isEmpty { buffer.removeAll(keepingCapacity: true) }
    bytes = buffer
    needsComma = false
  }

  /// Reserves capacity for a short text, so that the buffer does not grow several times.
  package mutating func reserveShortText() {
    if bytes.capacity < 256 { bytes.reserveCapacity(256) }
  }

  /// Removes and returns the buffer.
  package mutating func takeBuffer() -> [UInt8] {
    var buffer: [UInt8] = []
    swap(&buffer, &bytes)
    return buffer
  }

  /// Begins another text after the ones written so far. A buffer of more than 1 KiB is emptied first.
  ///
  /// - Returns: The index of the first byte of the new text.
  @usableFromInline
  package mutating func beginText() -> Int {
    if bytes.count > 1_024 { bytes.removeAll(keepingCapacity: true) }
    needsComma = false
    return bytes.count
  }

  /// Writes the comma before a name or value, if needed, and sets whether the next one needs a comma.
  @inlinable
  mutating func separate(thenComma: Bool = true) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = thenComma
  }

  /// Writes `null`.
  @inlinable
  package mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  /// Writes `true` or `false`.
  @inlinable
  package mutating func bool(_ value: Bool) {
    separate()
    bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
  }

  /// Begins an object. Write its names and values alternately, then call ``endObject()``.
  @inlinable
  package mutating func beginObject() {
    separate(thenComma: false)
    bytes.append(UInt8(ascii: "{"))
  }

  /// Ends the innermost object.
  @inlinable
  package mutating func endObject() {
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  /// Begins an array. Write its elements, then call ``endArray()``.
  @inlinable
  package mutating func beginArray() {
    separate(thenComma: false)
    bytes.append(UInt8(ascii: "["))
  }

  /// Ends the innermost array.
  @inlinable
  package mutating func endArray() {
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  /// Writes the name of a member.
  package mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a member whose value is a string.
  package mutating func member(_ name: String, _ text: String) {
    key(name)
    string(text)
  }

  /// Writes a member whose value is an integer.
  package mutating func member(_ name: String, _ number: Int64) {
    key(name)
    integer(number)
  }

  /// Writes a member whose value is a Boolean.
  package mutating func member(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }

  /// Writes the name of a member, encoded by ``precomputedKey(_:)``.
  @usableFromInline
  package mutating func key(precomputed name: [UInt8]) {
    separate(thenComma: false)
    bytes.append(copying: name.span)
  }

  /// Returns the name of a member, quoted and escaped, followed by a colon.
  ///
  /// Encode names that are written often once, and write them with ``key(precomputed:)``.
  package static func precomputedKey(_ name: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.key(name)
    return writer.bytes
  }

  /// Writes a value that is already encoded as canonical JSON.
  @usableFromInline
  package mutating func raw(_ canonical: [UInt8]) {
    separate()
    bytes.append(copying: canonical.span)
  }

  /// Writes a value that is already encoded as canonical JSON.
  package mutating func raw(_ canonical: Span<UInt8>) {
    separate()
    bytes.append(copying: canonical)
  }
}
