import BinderyDigest
import BinderyHTTP

/// Templates for responses to writes: one for each number of digits of the content length, with and without a change of
/// the state. Confined to one event loop.
struct WriteResponseTemplates {
  /// The templates: first those of writes that changed nothing, then those of writes that changed the state, each by
  /// the number of digits of the content length.
  private var templates: [WriteResponseTemplate] = []

  /// The maximum number of digits of the content length for which there is a template.
  private static var maximumLengthDigits: Int { 4 }

  /// Returns whether there is a template for JSON of this length. For longer JSON a template would save little.
  static func canWrite(_ json: [UInt8]) -> Bool { (json.count + 1).decimalDigits <= maximumLengthDigits }

  /// Ends a response with JSON for which ``canWrite(_:)`` returns true.
  mutating func finish(
    _ json: [UInt8], etag: Digest, revision: Int, changed: Bool, to output: inout ResponseWriter
  ) {
    if templates.isEmpty {
      templates = [WriteResponseTemplate](repeating: WriteResponseTemplate(), count: 2 * Self.maximumLengthDigits)
    }
    let index = (json.count + 1).decimalDigits - 1 + (changed ? Self.maximumLengthDigits : 0)
    templates[index].finish(json, etag: etag, revision: revision, changed: changed, to: &output)
  }
}

/// A template for responses that differ only in ETag, revision and content, and whose numbers have the same number of
/// digits.
private struct WriteResponseTemplate {
  private var template = ResponseTemplate()
  private var revisionDigits = 0
  private var tagStart = 0
  private var revisionEnd = 0

  mutating func finish(
    _ json: [UInt8], etag: Digest, revision: Int, changed: Bool, to output: inout ResponseWriter
  ) {
    if revision.decimalDigits != revisionDigits { rebuild(json, etag: etag, revision: revision, changed: changed) }
    output.finish(template, line: json) { bytes, start in
      etag.write(over: &bytes, at: start + tagStart)
      bytes.overwrite(decimal: revision, endingAt: start + revisionEnd)
    }
  }

  private mutating func rebuild(_ json: [UInt8], etag: Digest, revision: Int, changed: Bool) {
    let commonFields = FieldLines { $0.append(Response.kind(changed: changed)) }
    let tag = FieldLines { $0.field(.etag, etag) }
    let number = FieldLines { $0.field(.stateRevision, revision) }
    revisionDigits = revision.decimalDigits
    // The tag is followed by a quotation mark and a line end, the revision by a line end.
    tagStart = commonFields.byteCount + tag.byteCount - Digest.textLength - 3
    revisionEnd = commonFields.byteCount + tag.byteCount + number.byteCount - 2
    let fields = FieldLines { output in
      output.append(commonFields)
      output.append(tag)
      output.append(number)
    }
    template = ResponseTemplate(fields, contentLength: json.count + 1)
  }
}
