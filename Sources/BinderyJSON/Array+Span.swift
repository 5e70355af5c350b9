extension [UInt8] {
  /// Creates an array with a copy of the bytes of a span.
  package init(copying bytes: Span<UInt8>) {
    self = []
    append(copying: bytes)
  }

  /// Appends a copy of the bytes of a span.
  @usableFromInline
  mutating func append(copying bytes: Span<UInt8>) {
    // Appending no bytes to an empty array would write a zero count to the storage that all empty arrays share, which
    // is a data race.
    if bytes.isEmpty { return }
    append(addingCapacity: bytes.count) { output in
      for index in bytes.indices { output.append(bytes[index]) }
    }
  }
}
