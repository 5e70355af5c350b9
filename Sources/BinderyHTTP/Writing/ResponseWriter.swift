import BinderyText

/// Serializes responses into a reusable byte buffer.
///
/// A response consists of `start`, any number of fields, and one call of `finish`. A stream consists of `startStream`,
/// fields, `beginStreamContent`, chunks, and `endStream`.
///
/// The writer prevents malformed responses: a field value cannot contain a line break, a response cannot have two
/// lengths, and a response to HEAD has no content.
package struct ResponseWriter: Sendable {
  /// The properties of a request that the serialization of its response depends on.
  package struct Context: Sendable {
    /// Whether the method was HEAD: the response has a `Content-Length` but no content.
    package var isHead: Bool
    /// Whether the version was HTTP/1.1. A stream is then chunked; for HTTP/1.0, closing the connection ends it.
    package var isHTTP11: Bool
    /// Whether the connection stays open after this response.
    package var keepAlive: Bool

    package init(isHead: Bool = false, isHTTP11: Bool = true, keepAlive: Bool = true) {
      self.isHead = isHead
      self.isHTTP11 = isHTTP11
      self.keepAlive = keepAlive
    }
  }

  /// The bytes written since the last `removeAll` or `takeBytes`.
  package internal(set) var bytes: [UInt8] = []
  /// The bytes that follow ``bytes`` and are shared with other connections; nil if there are none.
  var shared: [UInt8]?
  /// The context of the current or next response.
  package var context = Context()
  /// The fields of every response.
  package private(set) var commonFields = FieldLines()
  /// The value of `traceparent` and `traceresponse` in the next response only.
  package var nextTrace: InlineArray<55, UInt8>?
  /// The status of the response that was started last.
  package private(set) var status = HTTPStatus.ok
  /// The cached start of a 200 response: status line, `Date` and common fields. Rebuilt once a second with the date.
  private var okStart: [UInt8]
  private var dateLine: [UInt8]

  /// Creates an empty writer whose date is the start of 1970.
  package init() { (okStart, dateLine) = Self.initialStart }

  // A constant, because writers are also created for parts of a head.
  private static let initialStart: ([UInt8], [UInt8]) = {
    let dateLine = Self.dateLine(seconds: 0)
    return (Array(HTTPStatus.ok.line.utf8) + dateLine, dateLine)
  }()

  private static func dateLine(seconds: Int64) -> [UInt8] {
    Array("\r\nDate: ".utf8) + HTTPDate.bytes(seconds: seconds) + Array("\r\n".utf8)
  }

  /// Sets the `Date` of the following responses, in seconds since 1970.
  package mutating func setDate(seconds: Int64) {
    dateLine = Self.dateLine(seconds: seconds)
    rebuildStart()
  }

  /// Sets the fields of every following response.
  package mutating func setCommonFields(_ fields: FieldLines) {
    if fields.bytes == commonFields.bytes { return }
    commonFields = fields
    rebuildStart()
  }

  private mutating func rebuildStart() {
    if !okStart.isEmpty { okStart.removeAll(keepingCapacity: true) }
    okStart.append(contentsOf: HTTPStatus.ok.line.utf8)
    okStart.append(contentsOf: dateLine)
    okStart.append(contentsOf: commonFields.bytes)
  }

  /// Removes the written bytes and keeps the capacity, unless a very long response has enlarged it.
  package mutating func removeAll() {
    if bytes.capacity > Self.maximumFreeCapacity { bytes = [] }
    if !bytes.isEmpty { bytes.removeLast(bytes.count) }
  }

  private static var maximumFreeCapacity: Int { 1024 * 1024 }

  /// The number of written bytes, shared ones included.
  package var byteCount: Int { bytes.count + (shared?.count ?? 0) }

  /// Removes the shared bytes and returns them; nil if there are none.
  package mutating func takeShared() -> [UInt8]? { shared.take() }

  /// Removes the written bytes and returns them, without a copy if none are shared.
  package mutating func takeBytes() -> [UInt8] {
    if let shared = takeShared() { bytes += shared }
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    return taken
  }

  /// Makes the next response send `Connection: close`, and the connection close after it.
  package mutating func closeAfterResponse() { context.keepAlive = false }

  /// Starts a response: writes the status line, `Date`, the common fields, and `Connection` if it differs from the
  /// default of the HTTP version.
  package mutating func start(_ status: HTTPStatus) {
    self.status = status
    if status == .ok {
      bytes.append(contentsOf: okStart)
    } else {
      append(status.line)
      bytes.append(contentsOf: dateLine)
      append(commonFields)
    }
    if !context.keepAlive {
      append("Connection: close\r\n")
    } else if !context.isHTTP11 {
      append("Connection: keep-alive\r\n")
    }
    if let trace = nextTrace {
      nextTrace = nil
      bytes.append(addingCapacity: Self.traceFieldBytes) { $0.appendTrace(trace) }
    }
  }

  /// Writes `100 Continue`, which asks the client to send its body (RFC 9110 §15.2.1).
  package mutating func appendContinue() { append("HTTP/1.1 100 Continue\r\n\r\n") }

  /// Ends a response without content, with `Content-Length: 0` if the status allows content.
  package mutating func finish() {
    append(status.allowsContent ? "Content-Length: 0\r\n\r\n" : "\r\n")
  }

  /// Ends a response with content.
  ///
  /// - Complexity: O(length of the content).
  package mutating func finish(content: [UInt8]) {
    if startContent(length: content.count) { self.content(content) }
  }

  /// Ends a response with content that is one line: the bytes and a line feed.
  ///
  /// - Parameter fields: The last fields of the response except `Content-Length`.
  /// - Complexity: O(length of the line).
  package mutating func finish(line: [UInt8], after fields: FieldLines) {
    guard status.allowsContent, !context.isHead else {
      append(fields)
      _ = startContent(length: line.count + 1)
      return
    }
    let (fieldBytes, content) = (fields.bytes.span, line.span)
    bytes.append(addingCapacity: fieldBytes.count + Self.headEndBytes + content.count + 1) { output in
      output.append(copying: fieldBytes)
      output.appendHeadEnd(length: content.count + 1)
      output.append(copying: content)
      output.append(.lineFeed)
    }
  }

  /// Ends the head with `Content-Length`; returns false if no content may follow.
  ///
  /// The content follows with ``content(_:)``, in one or more parts.
  package mutating func startContent(length: Int) -> Bool {
    guard status.allowsContent else {
      append("\r\n")
      return false
    }
    bytes.append(addingCapacity: Self.headEndBytes) { $0.appendHeadEnd(length: length) }
    return !context.isHead
  }

  /// Appends a part of content whose length is in the head.
  package mutating func content(_ part: [UInt8]) { bytes.append(contentsOf: part) }

  /// Ends the head of a stream. Its content has no length: it is chunked, or ends with the connection for HTTP/1.0.
  ///
  /// - Precondition: The response was started with `startStream(_:)`, which sends `Connection: close` for HTTP/1.0.
  package mutating func beginStreamContent() {
    append(context.isHTTP11 ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n")
  }

  /// Starts a response whose length is unknown. Call `beginStreamContent` after its fields.
  package mutating func startStream(_ status: HTTPStatus) {
    if !context.isHTTP11 { context.keepAlive = false }
    start(status)
  }

  /// Appends a chunk to a stream, or only its content for HTTP/1.0; nothing if `encode` appends nothing.
  ///
  /// - Parameter encode: Appends to the bytes. It must not change the existing bytes.
  package mutating func chunk<E>(_ encode: (inout [UInt8]) throws(E) -> Void) throws(E) {
    if context.isHead { return }
    guard context.isHTTP11 else { return try encode(&bytes) }
    // A chunk size may have leading zeros (RFC 9112 §7.1), so a fixed width is reserved and filled in later.
    let sizeStart = bytes.count
    bytes.append(contentsOf: Self.chunkSizePlaceholder)
    let start = bytes.count
    try encode(&bytes)
    let count = bytes.count - start
    // A chunk of zero bytes would end the stream.
    if count == 0 { return bytes.removeLast(start - sizeStart) }
    var span = bytes.mutableSpan
    span.store(HexadecimalDigits.text(of: UInt32(count)), at: sizeStart)
    append("\r\n")
  }

  /// Ends a stream. The event loop calls it on `.finished` and `.close`.
  package mutating func endStream() {
    if context.isHTTP11, !context.isHead { append("0\r\n\r\n") }
  }
}

extension ResponseWriter {
  /// The maximum size of `Content-Length` and the end of the head: a name of 16 bytes, the digits and two line ends.
  private static var headEndBytes: Int { 16 + decimalDigits + 4 }

  /// The size of the fields `traceparent` and `traceresponse`.
  private static var traceFieldBytes: Int { 2 * (15 + 55 + 2) }

  /// The maximum number of decimal digits of an `Int`.
  static var decimalDigits: Int { 19 }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Reserves the digits of a chunk size.
  private static let chunkSizePlaceholder = Array("00000000\r\n".utf8)
}
