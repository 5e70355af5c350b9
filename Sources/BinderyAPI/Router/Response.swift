import BinderyCore
import BinderyDigest
package import BinderyHTTP

/// An answer before it is bytes; its content is JSON.
package struct Response: Sendable {
  enum Content: Sendable {
    case none
    case whole([UInt8])
    /// Apart, because few answers are long and all are handed on.
    indirect case long(SlicedJSON)
  }

  let status: HTTPStatus
  private(set) var content: Content
  let etag: Digest?
  let revision: Int?
  /// Whether the request changed the state.
  let changed: Bool?
  let outcome: WriteOutcome
  /// What few answers say besides, in its order: one array, because an answer is handed on more often than these are
  /// set.
  private var others: [(name: FieldName, value: String)] = []
  /// Says what is so just now, and must not be kept by caches.
  var isVolatile = false

  /// What most answers say is given here: what is set afterwards costs a copy of all.
  init(
    _ status: HTTPStatus, _ content: Content = .none, etag: Digest? = nil, revision: Int? = nil, changed: Bool? = nil,
    outcome: WriteOutcome = .kept
  ) {
    self.status = status
    self.content = content
    self.etag = etag
    self.revision = revision
    self.changed = changed
    self.outcome = outcome
  }

  /// Says something more; nothing where the value is nil.
  mutating func say(_ name: FieldName, _ value: String?) {
    if let value { others.append((name, value)) }
  }

  /// Writes it; where it is the answer to a write, as a loop has written such before.
  func write(to output: inout ResponseWriter, as forms: inout WriteResponseTemplates) {
    guard case .whole(let content) = content, let etag, let revision, let changed, outcome == .kept, others.isEmpty,
      !isVolatile, status.allowsContent, WriteResponseTemplates.haveOne(for: content)
    else { return write(to: &output) }
    output.start(status)
    forms.finish(content, etag: etag, revision: revision, changed: changed, to: &output)
  }

  package func write(to output: inout ResponseWriter) {
    output.start(status)
    guard case .whole(let content) = content else {
      writeFields(to: &output)
      return output.finish()
    }
    output.append(Self.contentType)
    writeFields(to: &output)
    output.finish(content: content)
  }

  /// Gives away the bytes of its content, where they are at hand.
  mutating func takeContent() -> [UInt8]? {
    var taken = Content.none
    swap(&taken, &content)
    guard case .whole(let bytes) = consume taken else { return nil }
    return bytes
  }

  /// Whether it is written a slice at a time.
  var isLong: Bool { if case .long = content { true } else { false } }

  /// The same where the content is long; nil where it is not.
  var long: ChunkedResponse? {
    guard case .long(let content) = content else { return nil }
    return ChunkedResponse(status, FieldLines(writeFields), content, isUnchanged: changed == false)
  }

  private func writeFields(to output: inout ResponseWriter) {
    writeOtherFields(to: &output)
    output.fields(upTo: Self.stateFieldBytes) { writeState(to: &$0) }
  }

  /// Which version of the state it tells of.
  private func writeState(to fields: inout OutputSpan<UInt8>) {
    if let etag { fields.line(.etag) { etag.write(asTagInto: &$0) } }
    if let revision { fields.line(.stateRevision, revision) }
  }

  private func writeOtherFields(to output: inout ResponseWriter) {
    if let changed { output.append(changed ? Self.changedField : Self.unchangedField) }
    switch outcome {
    case .kept: break
    case .adjusted: output.field(.writeOutcome, "adjusted")
    case .dropped: output.field(.writeOutcome, "dropped")
    }
    for (name, value) in others { output.field(name, value) }
    if isVolatile { output.field(.cacheControl, "no-store") }
  }

  /// The most that tag and revision take.
  private static var stateFieldBytes: Int { 32 + 37 }

  // What most answers say: written once.
  static let contentType = FieldLines { $0.field(.contentType, "application/json") }

  /// The fields by which an answer says that it is JSON, and whether the request has changed the state.
  static func kind(changed: Bool) -> FieldLines {
    FieldLines { output in
      output.append(contentType)
      output.append(changed ? changedField : unchangedField)
    }
  }

  private static let changedField = FieldLines { $0.field(.stateChanged, "?1") }
  private static let unchangedField = FieldLines { $0.field(.stateChanged, "?0") }
}

extension ResponseWriter {
  /// Appends a field with a digest as an entity tag (RFC 9110 §8.8.3).
  mutating func field(_ name: FieldName, _ digest: Digest) {
    field(name, upTo: Digest.textLength + 2) { digest.write(asTagInto: &$0) }
  }
}

extension Digest {
  /// Appends it as an entity tag.
  fileprivate func write(asTagInto output: inout OutputSpan<UInt8>) {
    output.append(UInt8(ascii: "\""))
    write(into: &output)
    output.append(UInt8(ascii: "\""))
  }

  /// As an entity tag.
  var tag: String { "\"\(text)\"" }
}
