extension [UInt8] {
  /// An array of the bytes of a span.
  init(copying bytes: Span<UInt8>) {
    self = []
    append(copying: bytes)
  }

  /// Adds the bytes of a span at the end.
  @usableFromInline
  mutating func append(copying bytes: Span<UInt8>) {
    append(addingCapacity: bytes.count) { output in
      for index in bytes.indices { output.append(bytes[index]) }
    }
  }
}
