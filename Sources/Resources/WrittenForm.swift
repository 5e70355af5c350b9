import Digests
import HTTP

/// How the answers to writes look that have made, of what stood at a place, something else: but for tag, revision and
/// content they are the same as long as the numbers in them have as many digits. Confined to one loop.
struct WrittenForm {
  private var form = AnswerForm()
  private var changed = false
  private var revisionDigits = 0
  private var tagStart = 0
  private var revisionEnd = 0

  mutating func finish(
    _ content: [UInt8], etag: Digest, revision: Int, changed: Bool, to output: inout ResponseWriter
  ) {
    if self.changed != changed || revision.decimalDigits != revisionDigits
      || content.count.decimalDigits != form.lengthDigits
    {
      renew(content, etag: etag, revision: revision, changed: changed)
    }
    output.finish(form, content: content) { bytes, start in
      etag.write(over: &bytes, at: start + tagStart)
      bytes.overwrite(decimal: revision, endingAt: start + revisionEnd)
    }
  }

  private mutating func renew(_ content: [UInt8], etag: Digest, revision: Int, changed: Bool) {
    let opening = FieldLines { $0.append(Response.kind(changed: changed)) }
    let tag = FieldLines { $0.field(.etag, etag) }
    let number = FieldLines { $0.field(.stateRevision, revision) }
    self.changed = changed
    revisionDigits = revision.decimalDigits
    // Behind them stand a quotation mark and a line end.
    tagStart = opening.byteCount + tag.byteCount - Digest.textLength - 3
    revisionEnd = opening.byteCount + tag.byteCount + number.byteCount - 2
    let fields = FieldLines { output in
      output.append(opening)
      output.append(tag)
      output.append(number)
    }
    form = AnswerForm(fields, contentOf: content.count)
  }
}
