/// The bytes that have come on a connection and were not answered yet, and the request that is read from them.
///
/// An intake without bytes holds nothing of its connection, but may know heads that were read before: a loop lends
/// one to each connection that has something to read, and a connection keeps one only while a part of a request waits
/// in it.
@usableFromInline
package struct RequestBuffer: Sendable {
  /// What can be done with the bytes so far.
  package enum Step: Sendable, Equatable {
    case needsMore
    /// The head is complete, and the body as far as told.
    case request(RequestBody)
    case refused(Rejection)
  }

  private enum Phase: Sendable {
    case head
    /// The head was told; its body is still to be asked for.
    case pending
    case body(length: Int)
    /// The first byte that was not decoded is counted from the request's first.
    case chunks(next: Int)
  }

  /// The room for bytes; those of `range` have come.
  @usableFromInline
  package private(set) var bytes: [UInt8]
  /// Where the bytes of the request stand, and of what follows it.
  @usableFromInline
  package private(set) var range = 0..<0
  /// The head of the request that `next` told.
  package private(set) var head = RequestHead()
  private var known: KnownHeads
  private var phase = Phase.head
  private var decoder = ChunkedDecoder()
  /// How many bytes the request takes up that was told with its whole body.
  private var requestLength = 0

  /// An intake with room for this many bytes.
  ///
  /// - Parameter knownHeads: how many heads are known again that were read before; a power of two up to 128, or 0.
  package init(capacity: Int, knownHeads: Int = 0) {
    known = KnownHeads(places: knownHeads)
    bytes = [UInt8](repeating: 0, count: capacity)
  }

  /// Whether no byte waits here and no request is under way, whose head would be among the bytes.
  ///
  /// Inlinable: a call from another module would be given a copy of the whole intake.
  @inlinable
  package var isEmpty: Bool { range.isEmpty }

  /// Whether no part of a request has come, but perhaps empty lines before one.
  package var isBlank: Bool { !isInBody && (range.isEmpty || head.isBlank(byteCount: range.count)) }

  /// Whether the head of a request is complete, but its body is not.
  package var isInBody: Bool {
    if case .head = phase { return false }
    return true
  }

  /// Has bytes put behind those that are here, making room where there is none.
  ///
  /// - Parameter read: puts bytes at and behind an index, and returns how many.
  package mutating func fill<E>(_ read: (inout [UInt8], Int) throws(E) -> Int) throws(E) -> Int {
    if range.upperBound == bytes.count { makeRoom() }
    let count = try read(&bytes, range.upperBound)
    range = range.lowerBound..<range.upperBound + count
    return count
  }

  /// Sets aside what has come, for `restore`; the next `fill` puts its bytes behind it.
  package mutating func save() -> Range<Int> {
    defer { range = range.upperBound..<range.upperBound }
    return range
  }

  /// Takes up what was set aside. What an unfinished request leaves of it is to be parked before the next `fill`.
  package mutating func restore(_ bytes: Range<Int>) { range = bytes }

  /// How many bytes the next `fill` can take without making room.
  @inlinable
  package var room: Int { bytes.count - range.upperBound }

  /// Moves the bytes to the front, or doubles the room: it grows with what came, never with what was announced.
  private mutating func makeRoom() {
    if range.lowerBound > bytes.count / 2 {
      for offset in 0..<range.count { bytes[offset] = bytes[range.lowerBound + offset] }
      range = 0..<range.count
    } else {
      bytes.append(contentsOf: repeatElement(0, count: max(bytes.count, 512)))
    }
  }

  /// Reads on in the bytes.
  ///
  /// - Complexity: O(bytes that are new).
  package mutating func next(limits: Limits) -> Step {
    do throws(Rejection) {
      switch phase {
      case .pending: return .needsMore
      case .body(let length): return nextOfBody(length)
      case .chunks(let next): return try nextOfChunks(next, limits)
      case .head:
        guard !range.isEmpty else { return .needsMore }
        guard try Self.read(&head, &known, bytes, range, limits) else { return .needsMore }
        return try afterHead(limits)
      }
    } catch {
      return .refused(error)
    }
  }

  /// Apart from `self`, so that head and bytes are seen to be different things.
  @inline(__always)
  private static func read(
    _ head: inout RequestHead, _ known: inout KnownHeads, _ bytes: [UInt8], _ range: Range<Int>, _ limits: Limits
  ) throws(Rejection) -> Bool {
    let bytes = bytes.span.extracting(range)
    if head.isUntouched, known.recall(&head, bytes) { return true }
    guard try head.read(bytes, limits: limits) else { return false }
    known.remember(head, bytes)
    return true
  }

  private mutating func afterHead(_ limits: Limits) throws(Rejection) -> Step {
    if case .none = head.framing {
      requestLength = head.byteCount
      return .request(.none)
    }
    if case .length(let length) = head.framing, length > limits.bodyBytes { return .request(.tooLarge) }
    // Whoever has begun to send the body does not wait to be asked for it (RFC 9110 §10.1.1).
    if head.expectsContinue, range.count == head.byteCount, head.framing != .length(0) {
      phase = .pending
      return .request(.pending)
    }
    startBody()
    return switch phase {
    case .body(let length): nextOfBody(length)
    case .chunks(let next): try nextOfChunks(next, limits)
    default: .needsMore
    }
  }

  /// Reads the body that `.pending` has told of.
  package mutating func startBody() {
    switch head.framing {
    case .length(let length): phase = .body(length: length)
    case .chunked:
      decoder = ChunkedDecoder()
      phase = .chunks(next: head.byteCount)
    case .none: phase = .head
    }
  }

  private mutating func nextOfBody(_ length: Int) -> Step {
    guard range.count - head.byteCount >= length else {
      phase = .body(length: length)
      return .needsMore
    }
    requestLength = head.byteCount + length
    return .request(.complete(head.byteCount..<requestLength))
  }

  private mutating func nextOfChunks(_ start: Int, _ limits: Limits) throws(Rejection) -> Step {
    let body = range.lowerBound + head.byteCount
    var next = range.lowerBound + start
    let outcome = try Self.decode(&decoder, &bytes, body: body, next: &next, end: range.upperBound, limits)
    switch outcome {
    case .tooLarge:
      return .request(.tooLarge)
    case .complete:
      requestLength = next - range.lowerBound
      return .request(.complete(head.byteCount..<head.byteCount + decoder.contentLength))
    case .needsMore:
      // The framing has done its duty; what comes next takes its place.
      range = range.lowerBound..<body + decoder.contentLength
      phase = .chunks(next: range.count)
      return .needsMore
    }
  }

  @inline(__always)
  private static func decode(
    _ decoder: inout ChunkedDecoder, _ bytes: inout [UInt8], body: Int, next: inout Int, end: Int, _ limits: Limits
  ) throws(Rejection) -> ChunkedDecoder.Outcome {
    var span = bytes.mutableSpan
    return try decoder.decode(&span, body: body, next: &next, end: end, limits: limits)
  }

  /// Forgets the request that was told with its whole body; the next one may follow.
  package mutating func consume() {
    let end = range.lowerBound + requestLength
    range = end == range.upperBound ? 0..<0 : end..<range.upperBound
    requestLength = 0
    phase = .head
    head.reset()
  }

  /// Forgets everything.
  package mutating func removeAll() {
    range = 0..<0
    requestLength = 0
    phase = .head
    head.reset()
  }

  /// Changes places with another, but for the heads that are known in this place.
  package mutating func swap(with other: inout RequestBuffer) {
    Swift.swap(&self, &other)
    Swift.swap(&known, &other.known)
  }

  /// Takes the unfinished request, and what follows it, into an intake just large enough, and is empty afterwards.
  ///
  /// - Complexity: O(bytes that wait).
  package mutating func park() -> RequestBuffer {
    var parked = RequestBuffer(capacity: 0)
    parked.bytes = Array(bytes[range])
    parked.range = 0..<range.count
    Swift.swap(&parked.head, &head)
    parked.phase = phase
    parked.decoder = decoder
    removeAll()
    return parked
  }
}
