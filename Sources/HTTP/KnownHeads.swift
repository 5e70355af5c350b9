/// The heads that were read before: a client says the same again and again, and what was read once is known by its
/// bytes.
///
/// Nothing else decides how a head is read, so one that begins with the very bytes of a known one is that. Each has a
/// place by a few of its bytes, and gives it up to another that comes twice while it is not asked for itself.
struct KnownHeads: Sendable {
  /// The heads' bytes, each at the beginning of its place.
  private var bytes: [UInt8] = []
  /// How many those are; 0 where there is none.
  private var lengths: [Int] = []
  private var heads: [RequestHead] = []
  /// Whether the head was asked for since another has come for its place.
  private var isInUse: [Bool] = []
  private let places: Int
  private var lastNumber: UInt64 = 0

  /// - Parameter places: the most that are known; a power of two, or 0.
  init(places: Int) {
    precondition(places == 0 || places.nonzeroBitCount == 1)
    self.places = places
  }

  /// The longest that is remembered.
  private static var longest: Int { 512 }
  /// The shortest, since the place is told by bytes up to here.
  private static var shortest: Int { 56 }

  /// Has a head become the known one that the bytes begin with.
  ///
  /// - Returns: false where none is known.
  /// - Complexity: O(length of the head).
  mutating func recall(_ head: inout RequestHead, _ asked: borrowing Span<UInt8>) -> Bool {
    if heads.isEmpty || asked.count < Self.shortest { return false }
    let place = place(of: asked)
    let length = lengths[place]
    guard length > 0, asked.count >= length else { return false }
    let start = place * Self.longest
    guard bytes.span.extracting(start..<start + length).isSame(as: asked.extracting(0..<length)) else { return false }
    isInUse[place] = true
    head.become(heads.span, at: place)
    return true
  }

  /// Remembers a head that was read, unless it came in parts, which is noted in it.
  mutating func remember(_ head: borrowing RequestHead, _ read: borrowing Span<UInt8>) {
    let length = head.byteCount
    guard places > 0, length >= Self.shortest, length <= Self.longest, head.progress.scanned == 0 else { return }
    if heads.isEmpty {
      bytes = [UInt8](repeating: 0, count: places * Self.longest)
      lengths = [Int](repeating: 0, count: places)
      heads = [RequestHead](repeating: RequestHead(), count: places)
      isInUse = [Bool](repeating: false, count: places)
    }
    let place = place(of: read)
    if isInUse[place] {
      isInUse[place] = false
      return
    }
    let start = place * Self.longest
    for index in 0..<length { bytes[start + index] = read[index] }
    lengths[place] = length
    heads[place] = copy head
    lastNumber += 1
    heads[place].number = lastNumber
  }

  /// By bytes that nearly always hold what tells one path of the state from another.
  private func place(of head: borrowing Span<UInt8>) -> Int {
    var hash = head.word(at: 16)
    hash = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15 ^ head.word(at: 24)
    hash = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15 ^ head.word(at: 40)
    hash = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15 ^ head.word(at: 48)
    return Int(truncatingIfNeeded: (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15 >> 40) & (places - 1)
  }
}

extension Span<UInt8> {
  /// Eight bytes as a number, the first of them the lowest.
  @inline(__always)
  package func word(at index: Int) -> UInt64 {
    let bytes = extracting(index..<index + 8)
    let low = UInt64(bytes[0]) | UInt64(bytes[1]) << 8 | UInt64(bytes[2]) << 16 | UInt64(bytes[3]) << 24
    let high = UInt64(bytes[4]) | UInt64(bytes[5]) << 8 | UInt64(bytes[6]) << 16 | UInt64(bytes[7]) << 24
    return low | high << 32
  }

  /// Whether another has the same bytes. Without a way out in the middle, many are compared at a time.
  @inline(__always)
  package func isSame(as other: borrowing Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var difference: UInt8 = 0
    for index in indices { difference |= self[index] ^ other[index] }
    return difference == 0
  }
}
