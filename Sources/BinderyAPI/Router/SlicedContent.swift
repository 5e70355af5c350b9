/// Long content that is written slice by slice, so that a slow client does not delay others.
protocol SlicedContent: Sendable {
  /// Indicates whether there is another slice.
  var hasMore: Bool { get }

  /// Appends the next slice.
  mutating func write(to bytes: inout [UInt8])
}

/// A long text in memory that is written slice by slice.
struct SlicedText: SlicedContent {
  private let text: [UInt8]
  /// Held until the response has been written or dropped; nil if the text is in memory anyway.
  private let lease: ByteBudget.Lease?
  private var position = 0

  init(_ text: [UInt8], _ lease: ByteBudget.Lease? = nil) {
    self.text = text
    self.lease = lease
  }

  var hasMore: Bool { position < text.count }

  mutating func write(to bytes: inout [UInt8]) {
    let end = min(position + SlicedJSON.sliceBytes, text.count)
    bytes += text[position..<end]
    position = end
  }
}
