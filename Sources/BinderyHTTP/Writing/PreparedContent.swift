/// Content that is one line, with its header fields, serialized once for many responses.
package struct PreparedContent: Sendable {
  /// The fields, the end of the head, the line and its line feed, in one array so that one copy appends them.
  fileprivate private(set) var message: [UInt8]
  fileprivate private(set) var headLength: Int

  /// Creates prepared content.
  ///
  /// - Parameters:
  ///   - line: The bytes of the line without its line feed.
  ///   - fields: The last fields of a response with this content, except `Content-Length`.
  ///   - write: Writes the other fields, and nothing else.
  package init(line: [UInt8], after fields: FieldLines, _ write: (inout ResponseWriter) -> Void) {
    var writer = ResponseWriter()
    writer.bytes.reserveCapacity(line.count + Self.typicalHeadBytes)
    write(&writer)
    writer.finish(line: line, after: fields)
    message = writer.takeBytes()
    headLength = message.count - line.count - 1
  }

  private static var typicalHeadBytes: Int { 192 }

  /// Replaces the number in the first field.
  package mutating func replaceFirstField(_ name: FieldName, _ number: Int) {
    assert(message.starts(with: name.spelling.utf8), "another field is the first one")
    guard let end = message.firstIndex(of: .lineFeed) else { return }
    let field = FieldLines { $0.field(name, number) }.bytes
    headLength += field.count - (end + 1)
    message.replaceSubrange(...end, with: field)
  }
}

/// One chunk of a stream, framed once for many streams.
package struct PreparedChunk: Sendable {
  /// The chunk size, the content, and the line end after it (RFC 9112 §7.1).
  fileprivate let framed: [UInt8]
  fileprivate let contentRange: Range<Int>
  /// The content without its framing.
  package var content: ArraySlice<UInt8> { framed[contentRange] }

  /// Creates a chunk.
  ///
  /// - Precondition: The content is not empty, because a chunk of zero bytes would end the stream.
  package init(_ content: [UInt8]) {
    precondition(!content.isEmpty)
    var framed: [UInt8] = []
    framed.reserveCapacity(content.count + Self.maximumFramingBytes)
    framed.append(contentsOf: String(content.count, radix: 16).utf8)
    framed += [.carriageReturn, .lineFeed]
    contentRange = framed.count..<framed.count + content.count
    framed.append(contentsOf: content)
    framed += [.carriageReturn, .lineFeed]
    self.framed = framed
  }

  /// The maximum length of a chunk size in hexadecimal digits and two line ends.
  private static var maximumFramingBytes: Int { 16 + 4 }
}

extension ResponseWriter {
  /// Ends a response with prepared content.
  ///
  /// - Complexity: O(length of the content), at the speed of a memory copy.
  package mutating func finish(_ content: PreparedContent) {
    precondition(status.allowsContent, "prepared content requires a status that allows content")
    bytes.append(contentsOf: content.message)
    if context.isHead { bytes.removeLast(content.message.count - content.headLength) }
  }

  /// Appends a prepared chunk to a stream; only its content for HTTP/1.0.
  ///
  /// - Complexity: O(length of the chunk), at the speed of a memory copy.
  package mutating func chunk(_ prepared: PreparedChunk) {
    if context.isHead { return }
    bytes.append(contentsOf: context.isHTTP11 ? prepared.framed[...] : prepared.content)
  }

  /// Ends a piece of a stream with a prepared chunk, without copying it for HTTP/1.1. The loop takes it with
  /// ``takeShared()`` before anything else is written, and sends it after the other bytes.
  package mutating func chunk(sharing prepared: PreparedChunk) {
    guard context.isHTTP11, !context.isHead else { return chunk(prepared) }
    shared = prepared.framed
  }
}
