import BinderyCore
import BinderyDigest
import BinderyHTTP

/// The encoding of a response.
extension Response {
  /// Writes the complete response. Sliced content is not written: see ``chunked``.
  func write(to output: inout ResponseWriter) {
    if closesConnection { output.closeAfterResponse() }
    output.start(status)
    writeFields(to: &output)
    switch content {
    case .none, .sliced:
      output.finish()
    case .json(let json):
      output.finish(line: json, after: Self.contentType)
    case .bytes(let bytes, let mediaType):
      output.field(.contentType, mediaType)
      output.finish(content: bytes)
    }
  }

  /// The response for writing slice by slice, or nil if the content is not sliced.
  var chunked: ChunkedResponse? {
    guard case .sliced(let content, let mediaType) = content else { return nil }
    return ChunkedResponse(
      status, FieldLines(writeFields), content, mediaType: mediaType, isUnchanged: changed == false)
  }

  /// The content and its fields, encoded for further responses; nil if it is not the short JSON of a place.
  var encoded: PreparedContent? {
    guard isRepresentation, case .json(let json) = content, json.count <= Self.maximumEncodedBytes else { return nil }
    return PreparedContent(line: json, after: Self.contentType) { writeFields(to: &$0) }
  }

  /// The maximum size of the content that a loop keeps encoded, in bytes.
  private static var maximumEncodedBytes: Int { 1_024 }

  /// Writes the fields, beginning with `State-Revision`, which ``ResolvedPath/confirm(at:)`` replaces.
  private func writeFields(to output: inout ResponseWriter) {
    output.fields(upTo: Self.stateFieldBytes) { fields in
      if let revision { fields.appendField(.stateRevision, revision) }
      if let etag { fields.appendTagField(.etag, high: etag.high, low: etag.low) }
      // Not selected by an expression, which would retain the lines.
      if changed == true { fields.append(Self.changedField) }
      if changed == false { fields.append(Self.unchangedField) }
    }
    if isRepresentation { output.append(Self.representationFields) }
    if outcome != .applied { output.field(.writeOutcome, outcome == .adjusted ? "adjusted" : "dropped") }
    if !otherFields.isEmpty { for (name, value) in otherFields { output.field(name, value) } }
    if !customFields.isEmpty { for (name, value) in customFields { output.field(custom: name, value) } }
    if isVolatile { output.field(.cacheControl, "no-store") }
  }

  /// The maximum size of `State-Revision`, `ETag` and `State-Changed` in bytes, with their line ends.
  private static var stateFieldBytes: Int { 37 + 32 + 19 }

  // Fields of many responses, formatted once.
  private static let contentType = FieldLines { $0.field(.contentType, "application/json") }
  private static let representationFields = FieldLines { output in
    output.field(.vary, "Accept")
    output.field(.cacheControl, "no-cache")
  }
  private static let changedField = FieldLines { $0.field(.stateChanged, "?1") }
  private static let unchangedField = FieldLines { $0.field(.stateChanged, "?0") }
}

extension ResponseWriter {
  /// Appends a field with a digest as an entity tag (RFC 9110 §8.8.3).
  mutating func field(_ name: FieldName, _ digest: Digest) {
    fields(upTo: name.spelling.utf8.count + Digest.textLength + 6) {
      $0.appendTagField(name, high: digest.high, low: digest.low)
    }
  }
}

extension Digest {
  /// The digest as an entity tag, in quotes.
  var tag: String { "\"\(text)\"" }
}
