import Synchronization

/// A cache of parsed request heads, because clients send the same head many times. A head is recognized by its bytes
/// and not parsed again.
///
/// The result of parsing depends only on the bytes, so equal bytes mean an equal head. The slot of a head is a hash of
/// some of its bytes. A head is added when it is parsed twice in a row in its slot. It is replaced when another head is
/// parsed twice in a row without a use of the cached one. Heads with credentials are never cached.
struct RequestHeadCache: Sendable {
  /// The bytes of the heads. Each slot has `maximumLength` bytes.
  private var bytes: [UInt8] = []
  /// The number of bytes of each head; 0 for an empty slot.
  private var lengths: [Int] = []
  private var heads: [RequestHead] = []
  /// Indicates whether each head was used since another head last competed for its slot.
  private var wasUsed: [Bool] = []
  /// For each slot, the hash of the uncached head that was parsed last.
  private var candidates: [UInt64] = []
  private let capacity: Int

  /// Creates an empty cache.
  ///
  /// - Parameter capacity: The maximum number of cached heads; a power of two up to `maximumCapacity`, or 0.
  init(capacity: Int) {
    precondition(capacity == 0 || capacity.nonzeroBitCount == 1 && capacity <= Self.maximumCapacity)
    self.capacity = capacity
  }

  static var maximumCapacity: Int { 128 }

  /// The maximum length of a cached head in bytes.
  private static var maximumLength: Int { 512 }
  /// The minimum length of a cached head in bytes, because the hash of the slot reads this many.
  private static var minimumLength: Int { 72 }

  /// Finds the cached head that the bytes begin with, and copies it to `head`.
  ///
  /// - Returns: False if there is no such head.
  /// - Complexity: O(length of the head).
  mutating func find(_ head: inout RequestHead, _ input: borrowing Span<UInt8>) -> Bool {
    if heads.isEmpty || input.count < Self.minimumLength { return false }
    let slot = slot(of: input)
    let length = lengths[slot]
    guard length > 0, input.count >= length else { return false }
    let start = slot * Self.maximumLength
    guard bytes.span.extracting(start..<start + length).isSame(as: input.extracting(0..<length)) else { return false }
    wasUsed[slot] = true
    head.copy(from: heads.span, at: slot)
    return true
  }

  /// Adds a parsed head. A head that arrived in several parts is not added, because its parser state differs.
  mutating func insert(_ head: borrowing RequestHead, _ input: borrowing Span<UInt8>) {
    let length = head.byteCount
    guard capacity > 0, length >= Self.minimumLength, length <= Self.maximumLength, head.progress.scanned == 0,
      !head.contains(.authorization), !head.contains(.cookie)
    else { return }
    if heads.isEmpty { allocate() }
    let slot = slot(of: input)
    let text = input.extracting(0..<length)
    let candidate = text.hash()
    if candidates[slot] != candidate {
      candidates[slot] = candidate
    } else if wasUsed[slot] {
      wasUsed[slot] = false
    } else {
      let start = slot * Self.maximumLength
      for index in text.indices { bytes[start + index] = text[index] }
      lengths[slot] = length
      heads[slot] = copy head
      let id = Self.lastID.add(1, ordering: .relaxed).newValue
      heads[slot].cacheID = id * UInt64(Self.maximumCapacity) + UInt64(slot)
      wasUsed[slot] = true
    }
  }

  private mutating func allocate() {
    bytes = [UInt8](repeating: 0, count: capacity * Self.maximumLength)
    lengths = [Int](repeating: 0, count: capacity)
    heads = [RequestHead](repeating: RequestHead(), count: capacity)
    wasUsed = [Bool](repeating: false, count: capacity)
    candidates = [UInt64](repeating: 0, count: capacity)
  }

  /// The high part of the last id that was assigned, in any cache of the process.
  private static let lastID = Atomic<UInt64>(0)

  /// Returns the slot of a head: a hash of the method and of the bytes that nearly always contain the part in which
  /// paths of the state differ.
  private func slot(of head: borrowing Span<UInt8>) -> Int {
    var hash = head.word(at: 0).mixed(with: head.word(at: 16))
    hash = hash.mixed(with: head.word(at: 24)).mixed(with: head.word(at: 32)).mixed(with: head.word(at: 40))
    hash = hash.mixed(with: head.word(at: 48)).mixed(with: head.word(at: 56)).mixed(with: head.word(at: 64))
    return Int(truncatingIfNeeded: hash >> 40) & (capacity - 1)
  }
}

extension UInt64 {
  /// One step of a hash that is not relevant for security: folds, then multiplies by the golden ratio.
  @inline(__always)
  fileprivate func mixed(with word: UInt64) -> UInt64 { (self ^ self >> 32 ^ word) &* 0x9E37_79B9_7F4A_7C15 }
}

extension Span<UInt8> {
  /// Returns a hash of all bytes, processed eight at a time.
  fileprivate func hash() -> UInt64 {
    var hash = UInt64(count)
    var index = 0
    while index + 8 <= count {
      hash = hash.mixed(with: word(at: index))
      index += 8
    }
    while index < count {
      hash = hash.mixed(with: UInt64(self[index]))
      index += 1
    }
    return hash
  }

  /// Returns eight bytes as a little-endian number.
  @inline(__always)
  package func word(at index: Int) -> UInt64 {
    let bytes = extracting(index..<index + 8)
    let low = UInt64(bytes[0]) | UInt64(bytes[1]) << 8 | UInt64(bytes[2]) << 16 | UInt64(bytes[3]) << 24
    let high = UInt64(bytes[4]) | UInt64(bytes[5]) << 8 | UInt64(bytes[6]) << 16 | UInt64(bytes[7]) << 24
    return low | high << 32
  }

  /// Returns whether another span has the same bytes. No early exit, so that the compiler can vectorize the loop.
  @inline(__always)
  package func isSame(as other: borrowing Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var difference: UInt8 = 0
    for index in indices { difference |= self[index] ^ other[index] }
    return difference == 0
  }
}
