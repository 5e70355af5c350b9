/// Long content that is written slice by slice, so that a slow client does not delay others.
package protocol SlicedContent: Sendable {
  /// Whether there is another slice.
  var hasMore: Bool { get }

  /// Appends the next slice.
  mutating func write(to bytes: inout [UInt8])
}

/// A long text in memory that is written slice by slice.
package struct SlicedText: SlicedContent {
  /// The parts of the text, none of them empty.
  private let parts: [[UInt8]]
  /// Held until the response has been written or dropped; nil if the text is in memory anyway.
  private let lease: Budget.Lease?
  /// The part that contains the next byte, and the position of that byte in it.
  private var index = 0
  private var position = 0

  init(_ parts: [[UInt8]], _ lease: Budget.Lease? = nil) {
    self.parts = parts
    self.lease = lease
  }

  package var hasMore: Bool { index < parts.count }

  package mutating func write(to bytes: inout [UInt8]) {
    var room = SlicedJSON.sliceBytes
    while room > 0, hasMore {
      let end = min(position + room, parts[index].count)
      bytes += parts[index][position..<end]
      room -= end - position
      position = end
      if end == parts[index].count { (index, position) = (index + 1, 0) }
    }
  }
}
