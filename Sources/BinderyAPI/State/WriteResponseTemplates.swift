import BinderyDigest
import BinderyHTTP

/// How the answers to writes look, for each way in which they differ by more than values of the same length. Confined
/// to one loop.
struct WriteResponseTemplates {
  /// For what has changed something and what has not, of short contents of each length in digits.
  private var forms: [WriteResponseTemplate] = []

  /// The most digits that the length of such a content has.
  private static var mostDigits: Int { 4 }

  /// Whether there can be a form for a content: of longer ones it would save little.
  static func haveOne(for content: [UInt8]) -> Bool { content.count.decimalDigits <= mostDigits }

  /// Ends the answer with a content for which there can be a form.
  mutating func finish(
    _ content: [UInt8], etag: Digest, revision: Int, changed: Bool, to output: inout ResponseWriter
  ) {
    if forms.isEmpty { forms = [WriteResponseTemplate](repeating: WriteResponseTemplate(), count: 2 * Self.mostDigits) }
    let index = content.count.decimalDigits - 1 + (changed ? Self.mostDigits : 0)
    forms[index].finish(content, etag: etag, revision: revision, changed: changed, to: &output)
  }
}

/// A form of answers that are all the same but for tag, revision and content, as long as their numbers have as many
/// digits.
private struct WriteResponseTemplate {
  private var form = ResponseTemplate()
  private var revisionDigits = 0
  private var tagStart = 0
  private var revisionEnd = 0

  mutating func finish(
    _ content: [UInt8], etag: Digest, revision: Int, changed: Bool, to output: inout ResponseWriter
  ) {
    if revision.decimalDigits != revisionDigits { renew(content, etag: etag, revision: revision, changed: changed) }
    output.finish(form, content: content) { bytes, start in
      etag.write(over: &bytes, at: start + tagStart)
      bytes.overwrite(decimal: revision, endingAt: start + revisionEnd)
    }
  }

  private mutating func renew(_ content: [UInt8], etag: Digest, revision: Int, changed: Bool) {
    let kind = FieldLines { $0.append(Response.kind(changed: changed)) }
    let tag = FieldLines { $0.field(.etag, etag) }
    let number = FieldLines { $0.field(.stateRevision, revision) }
    revisionDigits = revision.decimalDigits
    // Behind them stand a quotation mark and a line end.
    tagStart = kind.byteCount + tag.byteCount - Digest.textLength - 3
    revisionEnd = kind.byteCount + tag.byteCount + number.byteCount - 2
    let fields = FieldLines { output in
      output.append(kind)
      output.append(tag)
      output.append(number)
    }
    form = ResponseTemplate(fields, contentOf: content.count)
  }
}
