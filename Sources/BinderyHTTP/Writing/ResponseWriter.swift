/// Appends responses to one array of bytes that is used again and again.
///
/// The order is `start`, any number of `field`, then one of `finish`, `startStream` or nothing but `finish()`.
/// What cannot be written here cannot be sent: no value breaks out of its line, no response has two lengths,
/// a HEAD gets no content.
package struct ResponseWriter: Sendable {
  /// What the answer must know of the request, beyond what it says.
  package struct Context: Sendable {
    /// The request was HEAD: lengths are told, content is not sent.
    package var isHead: Bool
    /// The request was HTTP/1.1, so that a stream is chunked; for HTTP/1.0 it ends with the connection.
    package var isHTTP11: Bool
    /// Whether the connection goes on after this response.
    package var keepAlive: Bool

    package init(isHead: Bool = false, isHTTP11: Bool = true, keepAlive: Bool = true) {
      self.isHead = isHead
      self.isHTTP11 = isHTTP11
      self.keepAlive = keepAlive
    }
  }

  /// All that was written since the last `removeAll`.
  package private(set) var bytes: [UInt8] = []
  /// Of the response that is being written, or comes next.
  package var context = Context()
  /// The fields that every response has, until others are set.
  package private(set) var common = FieldLines()
  /// What the next response says besides, and no later one.
  package var once: FieldLines?
  /// Of the response that was started last.
  package private(set) var status = HTTPStatus.ok
  /// How nearly every response begins: with the date, which is renewed once a second, and the fields of every response.
  private var okStart: [UInt8] = []
  private var dateLine: [UInt8] = []

  /// A writer with no bytes, at the beginning of 1970.
  package init() { setDate(seconds: 0) }

  /// Sets the `Date` of the responses to come, in seconds since 1970.
  package mutating func setDate(seconds: Int64) {
    dateLine = Array("\r\nDate: ".utf8) + HTTPDate.bytes(seconds: seconds) + Array("\r\n".utf8)
    renewStart()
  }

  /// Sets the fields of the responses to come.
  package mutating func setCommon(_ fields: FieldLines) {
    if fields.bytes == common.bytes { return }
    common = fields
    renewStart()
  }

  private mutating func renewStart() {
    if !okStart.isEmpty { okStart.removeAll(keepingCapacity: true) }
    okStart.append(contentsOf: HTTPStatus.ok.line.utf8)
    okStart.append(contentsOf: dateLine)
    okStart.append(contentsOf: common.bytes)
  }

  /// Forgets what was written, keeping the room for more.
  package mutating func removeAll() { if !bytes.isEmpty { bytes.removeLast(bytes.count) } }

  /// Takes the bytes away, to be sent later.
  package mutating func takeBytes() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    return taken
  }

  /// Has the connection closed after the response that is about to start, which says so.
  package mutating func closeAfterwards() { context.keepAlive = false }

  /// Begins a response: the status line, `Date` and the common fields, and `Connection` where it differs from what the
  /// version implies.
  package mutating func start(_ status: HTTPStatus) {
    self.status = status
    if status == .ok {
      bytes.append(contentsOf: okStart)
    } else {
      append(status.line)
      bytes.append(contentsOf: dateLine)
      append(common)
    }
    if !context.keepAlive {
      append("Connection: close\r\n")
    } else if !context.isHTTP11 {
      append("Connection: keep-alive\r\n")
    }
    if let once {
      append(once)
      self.once = nil
    }
  }

  /// Asks the peer to send its body (RFC 9110 §15.2.1).
  package mutating func appendContinue() { append("HTTP/1.1 100 Continue\r\n\r\n") }

  /// Ends a response without content; 0 is its `Content-Length` where the status has any.
  package mutating func finish() {
    append(status.allowsContent ? "Content-Length: 0\r\n\r\n" : "\r\n")
  }

  /// Ends a response with this content.
  ///
  /// - Complexity: O(length of the content).
  package mutating func finish(content: [UInt8]) { finish(content: content.span) }

  /// Ends a response with this content.
  ///
  /// - Complexity: O(length of the content).
  package mutating func finish(content: borrowing Span<UInt8>) {
    guard startContent(length: content.count) else { return }
    append(content)
  }

  /// Ends a response with this content.
  ///
  /// - Complexity: O(length of the content).
  package mutating func finish(content: String) {
    guard startContent(length: content.utf8.count) else { return }
    append(content)
  }

  /// Ends a response with content that is encoded straight behind the head; its length is filled in afterwards.
  ///
  /// - Parameter encode: appends to the bytes, and leaves alone what stands there.
  package mutating func finish<E>(encoding encode: (inout [UInt8]) throws(E) -> Void) throws(E) {
    guard status.allowsContent else { return append("\r\n") }
    append("Content-Length:        0\r\n\r\n")
    let start = bytes.count
    try encode(&bytes)
    let length = bytes.count - start
    // Blanks before a value are no part of it (RFC 9112 §5), so a field of fixed width can be filled later.
    var place = start - "\r\n\r\n".utf8.count - 1
    var rest = length
    repeat {
      bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      place -= 1
    } while rest > 0
    if context.isHead { bytes.removeLast(length) }
  }

  /// The head's end with a length; false if the content must not follow.
  private mutating func startContent(length: Int) -> Bool {
    guard status.allowsContent else {
      append("\r\n")
      return false
    }
    bytes.append(addingCapacity: Self.headEndBytes) { $0.appendHeadEnd(length: length) }
    return !context.isHead
  }

  /// Begins a stream: the head's end, without a length. For HTTP/1.0 the stream ends with the connection.
  ///
  /// Must come before any content; an HTTP/1.0 peer is told with `Connection: close` by `startStream(_:)`.
  package mutating func beginContent() {
    append(context.isHTTP11 ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n")
  }

  /// Begins a response whose content has no length yet; `beginContent` ends its head.
  package mutating func startStream(_ status: HTTPStatus) {
    if !context.isHTTP11 { context.keepAlive = false }
    start(status)
  }

  /// Appends one piece of a stream, framed as a chunk for HTTP/1.1; nothing if `encode` appends nothing.
  ///
  /// - Parameter encode: appends to the bytes, and leaves alone what stands there.
  package mutating func chunk<E>(_ encode: (inout [UInt8]) throws(E) -> Void) throws(E) {
    if context.isHead { return }
    guard context.isHTTP11 else { return try encode(&bytes) }
    // Leading zeros are allowed in a chunk's size (RFC 9112 §7.1), so its place can be kept before it is known.
    let place = bytes.count
    bytes.append(contentsOf: Self.openChunk)
    let start = bytes.count
    try encode(&bytes)
    var rest = bytes.count - start
    // A chunk of no bytes would end the stream.
    if rest == 0 { return bytes.removeLast(start - place) }
    var digit = place + 7
    while rest > 0 {
      bytes[digit] = hexDigit(rest & 15)
      rest >>= 4
      digit -= 1
    }
    append("\r\n")
  }

  /// Ends a stream; the loop does so itself on `.finished` and `.close`.
  package mutating func endStream() {
    if context.isHTTP11, !context.isHead { append("0\r\n\r\n") }
  }
}

extension ResponseWriter {
  /// Whether the response that was started may have content.
  var allowsContent: Bool { status.allowsContent }

  /// The most that `Content-Length` and the head's end take: a name of 16, the digits and two line ends.
  private static var headEndBytes: Int { 16 + decimalDigits + 4 }

  /// The most digits that an `Int` has.
  static var decimalDigits: Int { 19 }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(_ span: borrowing Span<UInt8>) {
    if span.isEmpty { return }
    bytes.append(addingCapacity: span.count) { $0.append(copying: span) }
  }

  /// Lends the bytes to the other files of this type, which otherwise only see them.
  @inline(__always)
  mutating func edit(_ change: (inout [UInt8]) -> Void) { change(&bytes) }

  /// The place of a size.
  private static let openChunk = Array("00000000\r\n".utf8)

  private func hexDigit(_ value: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: value) + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
  }
}
