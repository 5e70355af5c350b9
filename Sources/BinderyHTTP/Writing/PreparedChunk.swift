/// A piece of a stream, framed once for many streams to repeat.
package struct PreparedChunk: Sendable {
  /// The size, the content, and the line end behind it (RFC 9112 §7.1).
  fileprivate let framed: [UInt8]
  fileprivate let content: Range<Int>

  /// - Parameter content: not empty, because a chunk of no bytes would end the stream.
  package init(_ content: [UInt8]) {
    precondition(!content.isEmpty)
    let size = Array(String(content.count, radix: 16).utf8) + [.carriageReturn, .lineFeed]
    framed = size + content + [.carriageReturn, .lineFeed]
    self.content = size.count..<size.count + content.count
  }
}

extension ResponseWriter {
  /// Appends a piece of a stream, framed as a chunk for HTTP/1.1.
  ///
  /// - Complexity: O(its length), at the speed of a copy.
  package mutating func chunk(_ prepared: PreparedChunk) {
    if context.isHead { return }
    if context.isHTTP11 {
      edit { $0.append(contentsOf: prepared.framed) }
    } else {
      edit { $0.append(contentsOf: prepared.framed[prepared.content]) }
    }
  }
}
