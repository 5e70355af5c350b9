/// The received bytes of a connection that have no response yet, and the request that is parsed from them.
///
/// An event loop has one buffer and uses it for one connection at a time. A connection has a buffer of its own only
/// while it holds an incomplete request (see `park()`). An empty buffer holds no data of its last connection.
@usableFromInline
package struct RequestBuffer: Sendable {
  /// The result of parsing the bytes received so far.
  package enum Step: Sendable, Equatable {
    case needsMore
    /// The head is complete; the body is in the given state.
    case request(RequestBody)
    case rejected(Rejection)
  }

  private enum Phase: Sendable {
    case head
    /// The head was returned with `.pending`; the responder decides whether the body is read.
    case pending
    case body(length: Int)
    /// The offset of the first byte that is not decoded yet, from the first byte of the request.
    case chunks(next: Int)
  }

  /// The storage. The bytes in `range` have been received.
  @usableFromInline
  package private(set) var bytes: [UInt8]
  /// The indices of the current request and of the bytes after it.
  @usableFromInline
  package private(set) var range = 0..<0
  /// The head of the request that `next` returned.
  package private(set) var head = RequestHead()
  private var phase = Phase.head
  private var decoder = ChunkedDecoder()
  /// The length of the complete request that `next` returned.
  private var requestLength = 0

  /// Creates an empty buffer.
  ///
  /// - Parameter capacity: The number of bytes to allocate.
  package init(capacity: Int) {
    bytes = [UInt8](repeating: 0, count: capacity)
  }

  /// Whether the buffer holds no bytes, and therefore no part of a request.
  ///
  /// Inlinable, because a call from another module would copy the whole buffer.
  @inlinable
  package var isEmpty: Bool { range.isEmpty }

  /// Whether the buffer holds no part of a request. It may hold empty lines, which RFC 9112 §2.2 ignores.
  package var isBlank: Bool { !isInBody && (range.isEmpty || head.isBlank(byteCount: range.count)) }

  /// Whether the head of a request is complete, but its body is not.
  package var isInBody: Bool { if case .head = phase { false } else { true } }

  /// Whether the head of a request is complete.
  package var hasHead: Bool { head.byteCount > 0 }

  /// Parses the head of the next request as far as it has arrived, so that ``hasHead`` is known before `next` is
  /// called.
  package mutating func readHead(limits: Limits) {
    guard case .head = phase, !range.isEmpty else { return }
    // `next` finds the same mistake again.
    do throws(Rejection) { _ = try Self.read(&head, bytes, range, limits) } catch {}
  }

  /// The number of bytes that were received, or that the current request will have if that is more.
  package var expectedBytes: Int {
    if case .body(let length) = phase { max(range.count, head.byteCount + length) } else { range.count }
  }

  /// Appends received bytes, after making space if the buffer is full.
  ///
  /// - Parameter read: Writes bytes to the array, starting at an index, and returns their number.
  package mutating func fill<E>(_ read: (inout [UInt8], Int) throws(E) -> Int) throws(E) -> Int {
    if range.upperBound == bytes.count { makeSpace() }
    let count = try read(&bytes, range.upperBound)
    range = range.lowerBound..<range.upperBound + count
    return count
  }

  /// Sets the received bytes aside and returns their range for `restore`. The next `fill` appends after them.
  package mutating func save() -> Range<Int> {
    defer { range = range.upperBound..<range.upperBound }
    return range
  }

  /// Makes bytes from `save` current again. If they end in an incomplete request, park it before the next `fill`.
  package mutating func restore(_ bytes: Range<Int>) { range = bytes }

  /// The number of bytes that the next `fill` can append without moving or allocating.
  @inlinable
  package var freeCapacity: Int { bytes.count - range.upperBound }

  /// Moves the bytes to the front, or enlarges the storage.
  ///
  /// The storage grows with the bytes received, never with an announced length, which a client can choose freely. It is
  /// at most doubled, and does not become longer than the request.
  private mutating func makeSpace() {
    if range.lowerBound > bytes.count / 2 {
      for offset in 0..<range.count { bytes[offset] = bytes[range.lowerBound + offset] }
      range = 0..<range.count
    } else {
      var growth = max(bytes.count, 512)
      if case .body(let length) = phase {
        let missing = range.lowerBound + head.byteCount + length - bytes.count
        if missing > 0 { growth = min(growth, missing) }
      }
      bytes.append(contentsOf: repeatElement(0, count: growth))
    }
  }

  /// Continues parsing.
  ///
  /// - Complexity: O(number of new bytes).
  package mutating func next(limits: Limits) -> Step {
    do throws(Rejection) {
      switch phase {
      case .pending: return .needsMore
      case .body(let length): return nextOfBody(length)
      case .chunks(let next): return try nextOfChunks(next, limits)
      case .head:
        guard !range.isEmpty else { return .needsMore }
        guard try Self.read(&head, bytes, range, limits) else { return .needsMore }
        return try afterHead(limits)
      }
    } catch {
      return .rejected(error)
    }
  }

  /// Parses a head. Static, so that the exclusive accesses to `head` and `bytes` do not overlap as one to `self`.
  @inline(__always)
  private static func read(
    _ head: inout RequestHead, _ bytes: [UInt8], _ range: Range<Int>, _ limits: Limits
  ) throws(Rejection) -> Bool {
    try head.read(bytes.span.extracting(range), limits: limits)
  }

  private mutating func afterHead(_ limits: Limits) throws(Rejection) -> Step {
    switch head.framing {
    case .none:
      requestLength = head.byteCount
      return .request(.none)
    case .length(let length) where length > limits.bodyBytes: return .request(.tooLarge)
    case .length(let length) where length == 0 || length <= range.count - head.byteCount && !head.expectsContinue:
      return nextOfBody(length)
    case .length, .chunked:
      // Also if the body of a request that closes the connection when it is refused has arrived: the response must not
      // depend on how the bytes were split.
      phase = .pending
      return .request(.pending)
    }
  }

  /// Starts to read the body of a request that was returned with `.pending`.
  ///
  /// - Returns: Whether the client waits for `100 Continue`. It does not if it has already started to send the body
  ///   (RFC 9110 §10.1.1).
  @discardableResult
  package mutating func startBody() -> Bool {
    switch head.framing {
    case .length(let length): phase = .body(length: length)
    case .chunked:
      decoder = ChunkedDecoder()
      phase = .chunks(next: head.byteCount)
    case .none: phase = .head
    }
    return head.expectsContinue && range.count == head.byteCount
  }

  /// Removes the head of a request that was returned with `.pending`, because its body is not needed.
  package mutating func consumeHead() {
    requestLength = head.byteCount
    consume()
  }

  /// Removes up to `count` bytes from the front.
  ///
  /// - Precondition: The buffer holds no part of a request.
  /// - Returns: The number of removed bytes.
  package mutating func discard(_ count: Int) -> Int {
    requestLength = min(count, range.count)
    defer { consume() }
    return requestLength
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
      // The decoded framing is no longer needed: the next bytes overwrite it.
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

  /// Removes the complete request that `next` returned, so that the next one can be parsed.
  package mutating func consume() {
    let rest = range.lowerBound + requestLength..<range.upperBound
    removeAll()
    if !rest.isEmpty { range = rest }
  }

  /// Removes all bytes and resets the parser.
  package mutating func removeAll() {
    range = 0..<0
    requestLength = 0
    phase = .head
    head.reset()
  }

  /// Swaps the contents with another buffer.
  package mutating func swap(with other: inout RequestBuffer) { Swift.swap(&self, &other) }

  /// Moves the incomplete request, and the bytes after it, to a new buffer of minimal size. This buffer becomes empty.
  ///
  /// - Complexity: O(number of bytes moved).
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
