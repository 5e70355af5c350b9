import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// The response to a write with an idempotency key, as the store keeps it for repetitions of the request.
struct RecordedResponse {
  /// The maximum length of content that is kept, in bytes. A repetition gets longer content only while the place still
  /// has the same value.
  static let maximumContentBytes = 1_024

  let response: Response
  /// Whether the first response had content that is not kept.
  let isShortened: Bool

  /// Creates the record of a response.
  init(_ response: Response) {
    var response = response
    switch response.content {
    case .none: isShortened = false
    case .json(let content): isShortened = content.count > Self.maximumContentBytes
    case .bytes, .sliced: isShortened = true
    }
    if isShortened { response.replaceContent(.none) }
    self.response = response
  }

  /// Returns the response for a repetition of the request.
  ///
  /// - Parameter content: Returns the content of the response if it has not been kept and the place has a value with
  ///   this entity tag.
  func replayed(_ content: (Digest) -> Response.Content?) -> Response {
    var replayed = response
    if isShortened, let etag = response.etag, let content = content(etag) {
      replayed.replaceContent(content)
    } else if isShortened, replayed.status == .ok {
      replayed.status = .noContent
    }
    replayed.addField(.idempotencyReplayed, "?1")
    return replayed
  }
}

extension RecordedResponse {
  /// The fields of responses to writes in addition to those that every response about a value has.
  private static let fields: [FieldName] = [.location, .preferenceApplied]

  /// The record as JSON.
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("status", Int64(response.status.rawValue))
    if let revision = response.revision {
      writer.member("revision", Int64(revision))
    }
    if let etag = response.etag { writer.member("etag", etag.text) }
    switch response.outcome {
    case .applied: break
    case .adjusted: writer.member("outcome", "adjusted")
    case .dropped: writer.member("outcome", "dropped")
    }
    for name in Self.fields { if let value = response.field(name) { writer.member(name.spelling, value) } }
    if case .json(let content) = response.content {
      writer.member("content", String(decoding: content, as: UTF8.self))
    } else if isShortened {
      writer.member("isShortened", true)
    }
    writer.endObject()
    return writer.bytes
  }

  /// Reads the record in a result.
  ///
  /// - Throws: `internal-error` if it is not one.
  init(_ result: KeyedResult) throws(Problem) {
    guard let root = try? JSONDocument(parsing: result.response).root,
      case .value(let number)? = root["status"]?.integer(),
      let status = HTTPStatus(rawValue: UInt16(clamping: number))
    else { throw Problem(.internalError, "The stored response to the first request cannot be read.") }
    var revision: Int?
    if case .value(let number)? = root["revision"]?.integer() { revision = Int(number) }
    let outcome: WriteOutcome =
      switch root["outcome"]?.string {
      case "adjusted": .adjusted
      case "dropped": .dropped
      default: .applied
      }
    var response = Response(
      status, root["content"]?.string.map { .json(Array($0.utf8)) } ?? .none,
      etag: root["etag"]?.string.flatMap { Digest(text: $0.utf8Span.span) }, revision: revision, changed: true,
      outcome: outcome)
    for name in Self.fields { response.addField(name, root[name.spelling]?.string) }
    self.response = response
    isShortened = root["isShortened"] != nil
  }
}
