import BinderyHTTP

/// A long response that is written in slices. The next slice is written when the previous one has been sent.
final class ChunkedResponse {
  private let status: HTTPStatus
  private let fields: FieldLines
  private let mediaType: String
  private var content: any SlicedContent
  /// The version of the state that the content shows, if it is long; nil if it is not a part of the state.
  var heldVersion: HeldVersion?
  /// Whether this is the response to a write that left the state unchanged.
  let isUnchanged: Bool
  private var hasWrittenHead = false

  /// - Parameter fields: All header fields except those about the content.
  init(
    _ status: HTTPStatus, _ fields: FieldLines, _ content: any SlicedContent, mediaType: String, isUnchanged: Bool
  ) {
    self.status = status
    self.fields = fields
    self.mediaType = mediaType
    self.content = content
    self.isUnchanged = isUnchanged
  }

  /// Whether the content is a part of the state.
  var showsState: Bool { content is SlicedJSON }

  /// Writes the next slice, and before the first one the head.
  func write(to output: inout ResponseWriter) -> ProduceResult {
    if !hasWrittenHead {
      hasWrittenHead = true
      output.startStream(status)
      output.append(fields)
      output.field(.contentType, mediaType)
      output.beginStreamContent()
    }
    // A response to HEAD has the fields of GET, but Content-Length may be omitted (RFC 9110 §9.3.2).
    if !output.context.isHead {
      output.chunk { bytes in content.write(to: &bytes) }
      if content.hasMore { return .more }
      output.endStream()
    }
    // HTTP/1.0 has no chunked coding: the end of the connection is the end of the content.
    return output.context.isHTTP11 ? .finished : .close
  }
}
