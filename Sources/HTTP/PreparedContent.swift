/// Content with the fields that tell its type and length, written once, for many responses to repeat.
package struct PreparedContent: Sendable {
  let fields: FieldLines
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8], type: String) {
    self.bytes = bytes
    fields = FieldLines { writer in
      writer.field(.contentType, type)
      writer.field(.contentLength, bytes.count)
    }
  }
}

extension ResponseWriter {
  /// Ends a response with content that was prepared.
  ///
  /// - Complexity: O(length of the content), at the speed of a copy.
  package mutating func finish(_ content: PreparedContent) {
    guard allowsContent else { return finish() }
    append(content.fields)
    edit { bytes in
      bytes.append(.carriageReturn)
      bytes.append(.lineFeed)
    }
    if !context.isHead { edit { $0.append(contentsOf: content.bytes) } }
  }
}
