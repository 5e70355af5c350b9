/// Content with its header fields, serialized once for many responses.
package struct PreparedContent: Sendable {
  /// The fields, the end of the head, and the content, in one array so that one copy appends them.
  fileprivate let message: [UInt8]
  fileprivate let headLength: Int

  /// Creates prepared content.
  ///
  /// - Parameters:
  ///   - content: The bytes of the content.
  ///   - type: The value of `Content-Type`.
  ///   - fields: The other fields of a response with this content.
  package init(_ content: [UInt8], type: String, after fields: FieldLines) {
    let fields = FieldLines { writer in
      writer.append(fields)
      writer.field(.contentType, type)
      writer.field(.contentLength, content.count)
    }
    let head = fields.bytes + [.carriageReturn, .lineFeed]
    message = head + content
    headLength = head.count
  }

  /// The content without the fields.
  package var bytes: [UInt8] { Array(message[headLength...]) }

  /// Returns whether the content, without the fields, is equal to other bytes.
  package func holds(_ other: [UInt8]) -> Bool {
    message.count - headLength == other.count && message.span.extracting(headLength...).isSame(as: other.span)
  }
}

/// One chunk of a stream, framed once for many streams.
package struct PreparedChunk: Sendable {
  /// The chunk size, the content, and the line end after it (RFC 9112 §7.1).
  fileprivate let framed: [UInt8]
  fileprivate let content: Range<Int>

  /// Creates a chunk.
  ///
  /// - Precondition: The content is not empty, because a chunk of zero bytes would end the stream.
  package init(_ content: [UInt8]) {
    precondition(!content.isEmpty)
    let size = Array(String(content.count, radix: 16).utf8) + [.carriageReturn, .lineFeed]
    framed = size + content + [.carriageReturn, .lineFeed]
    self.content = size.count..<size.count + content.count
  }
}

extension ResponseWriter {
  /// Ends a response with prepared content.
  ///
  /// - Complexity: O(length of the content), at the speed of a memory copy.
  package mutating func finish(_ content: PreparedContent) {
    precondition(allowsContent, "prepared content requires a status that allows content")
    edit { $0.append(contentsOf: content.message) }
    if context.isHead { edit { $0.removeLast(content.message.count - content.headLength) } }
  }

  /// Appends a prepared chunk to a stream; only its content for HTTP/1.0.
  ///
  /// - Complexity: O(length of the chunk), at the speed of a memory copy.
  package mutating func chunk(_ prepared: PreparedChunk) {
    if context.isHead { return }
    if context.isHTTP11 {
      edit { $0.append(contentsOf: prepared.framed) }
    } else {
      edit { $0.append(contentsOf: prepared.framed[prepared.content]) }
    }
  }
}
