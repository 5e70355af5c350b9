/// Content with the fields that go with it, written once, for many responses to repeat.
package struct PreparedContent: Sendable {
  /// The fields, the end of the head, and the content: what is sent together is copied at once.
  fileprivate let message: [UInt8]
  fileprivate let headLength: Int

  /// - Parameter fields: what an answer with this content says besides its type and length.
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

  /// The content alone.
  package var bytes: [UInt8] { Array(message[headLength...]) }
}

extension ResponseWriter {
  /// Ends a response with content that was prepared.
  ///
  /// - Complexity: O(length of the content), at the speed of a copy.
  package mutating func finish(_ content: PreparedContent) {
    precondition(allowsContent, "what was prepared with its fields is not sent without its content")
    edit { $0.append(contentsOf: content.message) }
    if context.isHead { edit { $0.removeLast(content.message.count - content.headLength) } }
  }
}
