import Synchronization

/// The heads that were read before: a client says the same again and again, and what was read once is known by its
/// bytes.
///
/// Nothing else decides how a head is read, so one that begins with the very bytes of a known one is that. Each has a
/// place, which some of its bytes tell. It comes there when it is read for the second time with nothing else between,
/// and leaves it when that happens to another one while it is not asked for itself. What carries a secret is not kept.
struct KnownHeads: Sendable {
  /// The heads' bytes, each at the beginning of its place.
  private var bytes: [UInt8] = []
  /// How many those are; 0 where there is none.
  private var lengths: [Int] = []
  private var heads: [RequestHead] = []
  /// Whether the head was asked for since another has come for its place.
  private var isInUse: [Bool] = []
  /// What was read last and was not known, as a hash of it.
  private var candidates: [UInt64] = []
  private let places: Int

  /// - Parameter places: the most that are known; a power of two up to `mostPlaces`, or 0.
  init(places: Int) {
    precondition(places == 0 || places.nonzeroBitCount == 1 && places <= Self.mostPlaces)
    self.places = places
  }

  static var mostPlaces: Int { 128 }

  /// The longest that is remembered.
  private static var longest: Int { 512 }
  /// The shortest, since the place is told by bytes up to here.
  private static var shortest: Int { 72 }

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

  /// Takes note of a head that was read, unless it came in parts, which is noted in it.
  mutating func remember(_ head: borrowing RequestHead, _ read: borrowing Span<UInt8>) {
    let length = head.byteCount
    guard places > 0, length >= Self.shortest, length <= Self.longest, head.progress.scanned == 0,
      !head.contains(.authorization), !head.contains(.cookie)
    else { return }
    if heads.isEmpty { makePlaces() }
    let place = place(of: read)
    let text = read.extracting(0..<length)
    let candidate = text.hash()
    if candidates[place] != candidate {
      candidates[place] = candidate
    } else if isInUse[place] {
      isInUse[place] = false
    } else {
      let start = place * Self.longest
      for index in text.indices { bytes[start + index] = text[index] }
      lengths[place] = length
      heads[place] = copy head
      let serial = Self.lastSerial.add(1, ordering: .relaxed).newValue
      heads[place].number = serial * UInt64(Self.mostPlaces) + UInt64(place)
      isInUse[place] = true
    }
  }

  private mutating func makePlaces() {
    bytes = [UInt8](repeating: 0, count: places * Self.longest)
    lengths = [Int](repeating: 0, count: places)
    heads = [RequestHead](repeating: RequestHead(), count: places)
    isInUse = [Bool](repeating: false, count: places)
    candidates = [UInt64](repeating: 0, count: places)
  }

  /// The part of the numbers that no other head has, in any of these.
  private static let lastSerial = Atomic<UInt64>(0)

  /// By the method and by bytes that nearly always hold what tells one path of the state from another.
  private func place(of head: borrowing Span<UInt8>) -> Int {
    var hash = head.word(at: 0).mixed(with: head.word(at: 16))
    hash = hash.mixed(with: head.word(at: 24)).mixed(with: head.word(at: 32)).mixed(with: head.word(at: 40))
    hash = hash.mixed(with: head.word(at: 48)).mixed(with: head.word(at: 56)).mixed(with: head.word(at: 64))
    return Int(truncatingIfNeeded: hash >> 40) & (places - 1)
  }
}

extension UInt64 {
  /// A step of a hash that nobody's safety rests on: multiplied by the golden ratio, folded before.
  @inline(__always)
  fileprivate func mixed(with word: UInt64) -> UInt64 { (self ^ self >> 32 ^ word) &* 0x9E37_79B9_7F4A_7C15 }
}

extension Span<UInt8> {
  /// A hash of all bytes, eight at a time.
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
