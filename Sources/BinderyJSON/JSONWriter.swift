/// Writes canonical JSON: no whitespace, one spelling for each value. Commas are its business.
///
/// What it is told must make one value: names and values alternating in objects, everything begun also ended.
public struct JSONWriter: Sendable {
  /// What has been written so far.
  public var bytes: [UInt8]

  /// Whether a value stands before the next one in the same container.
  @usableFromInline var needsComma = false

  /// With how many bytes a slice is full.
  @usableFromInline var end = Int.max
  @usableFromInline var phase = Phase.writing
  /// Where a text that has stopped goes on, from the innermost part to the outermost.
  var notes: [any Sendable] = []

  /// A writer with nothing written.
  public init() {
    bytes = []
  }

  /// A writer with nothing written, which keeps the capacity of an old buffer.
  public init(reusing buffer: consuming [UInt8]) {
    // To remove nothing from an empty array is to write 0 over the count of the one that all empty arrays share.
    if !buffer.isEmpty { buffer.removeAll(keepingCapacity: true) }
    bytes = buffer
  }

  /// Writes the comma that is due before a name or a value, and notes whether one is due after it.
  @inlinable
  mutating func separate(thenComma: Bool = true) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = thenComma
  }

  /// Writes `null`.
  @inlinable
  public mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  /// Writes `true` or `false`.
  @inlinable
  public mutating func bool(_ value: Bool) {
    separate()
    bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
  }

  /// Begins an object; names and values follow in turn.
  @inlinable
  public mutating func beginObject() {
    separate(thenComma: false)
    bytes.append(UInt8(ascii: "{"))
  }

  /// Ends the object that was begun last.
  @inlinable
  public mutating func endObject() {
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  /// Begins an array; its elements follow.
  @inlinable
  public mutating func beginArray() {
    separate(thenComma: false)
    bytes.append(UInt8(ascii: "["))
  }

  /// Ends the array that was begun last.
  @inlinable
  public mutating func endArray() {
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  /// Writes the name of a member.
  public mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes the name of a member as `precomputedKey(_:)` spelled it.
  @inlinable
  public mutating func key(precomputed name: [UInt8]) {
    separate(thenComma: false)
    bytes.append(contentsOf: name)
  }

  /// The name of a member in quotes, escaped, with its colon: what is written often need not be spelled every time.
  public static func precomputedKey(_ name: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.key(name)
    return writer.bytes
  }

  /// Writes a value that is in canonical form already.
  @inlinable
  public mutating func raw(_ canonical: [UInt8]) {
    separate()
    bytes.append(contentsOf: canonical)
  }

  /// Writes a value that is in canonical form already.
  public mutating func raw(_ canonical: Span<UInt8>) {
    separate()
    bytes.append(copying: canonical)
  }
}
