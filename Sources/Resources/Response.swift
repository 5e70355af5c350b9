import Digests
package import HTTP
import Shapes

/// An answer before it is bytes; its content is JSON.
package struct Response: Sendable {
  var status: Status
  var content: [UInt8]?
  /// The content where it is long.
  var longContent: LongContent?
  var etag: Digest?
  var revision: Int?
  /// Whether the request changed the state.
  var changed: Bool?
  var outcome: WriteOutcome = .kept
  /// What few answers say besides, in its order: one array, because an answer is handed on more often than these are
  /// set.
  private var others: [(name: FieldName, value: String)] = []
  /// Says what is so just now, and must not be kept by caches.
  var isVolatile = false

  init(_ status: Status, content: [UInt8]? = nil) {
    self.status = status
    self.content = content
  }

  /// Says something more; nothing where the value is nil.
  mutating func say(_ name: FieldName, _ value: String?) {
    if let value { others.append((name, value)) }
  }

  package func write(to output: inout ResponseWriter) {
    output.start(status)
    writeFields(to: &output)
    guard let content else { return output.finish() }
    output.append(Self.contentType)
    output.finish(content: content)
  }

  /// The same where the content is long; nil where it is not.
  var long: LongAnswer? {
    longContent.map { LongAnswer(status, FieldLines(writeFields), $0, isUnchanged: changed == false) }
  }

  private func writeFields(to output: inout ResponseWriter) {
    if let etag { output.field(.etag, etag) }
    if let revision { output.field(.stateRevision, revision) }
    if let changed { output.append(changed ? Self.changedField : Self.unchangedField) }
    switch outcome {
    case .kept: break
    case .adjusted: output.field(.writeOutcome, "adjusted")
    case .dropped: output.field(.writeOutcome, "dropped")
    }
    for (name, value) in others { output.field(name, value) }
    if isVolatile { output.field(.cacheControl, "no-store") }
  }

  // What most answers say: written once.
  private static let contentType = FieldLines { $0.field(.contentType, "application/json") }
  private static let changedField = FieldLines { $0.field(.stateChanged, "?1") }
  private static let unchangedField = FieldLines { $0.field(.stateChanged, "?0") }
}

extension ResponseWriter {
  /// Appends a field with a digest as an entity tag (RFC 9110 §8.8.3).
  mutating func field(_ name: FieldName, _ digest: Digest) {
    field(name, upTo: Digest.textLength + 2) { value in
      value.append(UInt8(ascii: "\""))
      digest.write(into: &value)
      value.append(UInt8(ascii: "\""))
    }
  }
}

extension Digest {
  /// As an entity tag.
  var tag: String { "\"\(text)\"" }
}
