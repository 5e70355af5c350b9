extension [UInt8] {
  /// An array of the bytes of a span.
  init(copying bytes: Span<UInt8>) {
    self = []
    append(copying: bytes)
  }

  /// Adds the bytes of a span at the end.
  @usableFromInline
  mutating func append(copying bytes: Span<UInt8>) {
    // To append nothing to an empty array is to write 0 over the count of the one that all empty arrays share.
    if bytes.isEmpty { return }
    append(addingCapacity: bytes.count) { output in
      for index in bytes.indices { output.append(bytes[index]) }
    }
  }
}
