extension [UInt8] {
  /// Creates an array with a copy of the bytes of a span.
  package init(copying bytes: Span<UInt8>) {
    self = []
    append(copying: bytes)
  }

  /// Appends a copy of the bytes of a span.
  package mutating func append(copying bytes: Span<UInt8>) {
    // Appending no bytes to an empty array would write a zero count to the storage that all empty arrays share, which
    // is a data race.
    if bytes.isEmpty { return }
    append(addingCapacity: bytes.count) { $0.append(copying: bytes) }
  }

  /// Overwrites the first elements.
  ///
  /// - Precondition: The array is not shorter than the span.
  package mutating func overwriteBeginning(with bytes: Span<UInt8>) {
    var all = mutableSpan
    var target = all._mutatingExtracting(first: bytes.count)
    guard target.count == bytes.count else { return }
    for index in bytes.indices { target[index] = bytes[index] }
  }
}

extension OutputSpan<UInt8> {
  /// Appends a copy of bytes.
  ///
  /// - Complexity: O(number of bytes).
  @inline(never)
  package mutating func append(copying source: borrowing Span<UInt8>) {
    // Most texts are shorter than what it takes to prepare a copy of whole words.
    if source.count <= 16 {
      for index in source.indices { append(source[index]) }
      return
    }
    let start = count
    append(repeating: 0, count: source.count)
    var all = mutableSpan
    var target = all._mutatingExtracting(droppingFirst: start)
    // With equal counts known, the compiler vectorizes the loop.
    guard target.count == source.count else { return }
    for index in source.indices { target[index] = source[index] }
  }
}
