import BinderyCore
package import BinderyHTTP
import BinderyJSON

/// One occurrence of a problem, as `application/problem+json` (RFC 9457).
package struct Problem: Error, Sendable {
  package let kind: ProblemKind
  package var status: HTTPStatus
  package var detail: String
  /// Where in what was sent, as a JSON Pointer (RFC 6901).
  package var pointer: String?
  package var expected: String?
  package var activeCase: String?
  package var cases: [String]?
  /// A command that does what was probably meant.
  package var curl: String?
  package var currentETag: String?
  /// The value that is there now, in canonical JSON.
  package var current: [UInt8]?
  /// Which operation of a JSON Patch, from 0.
  package var operation: Int?
  /// The methods of the place.
  package var allow: String?
  /// The media types that a PATCH, or a POST, takes here.
  package var acceptPatch: String?
  package var acceptPost: String?
  /// The content codings that a body may have.
  package var acceptEncoding: String?
  /// How to authenticate, for `WWW-Authenticate`.
  package var challenge: String?

  package init(_ kind: ProblemKind, _ detail: String) {
    self.kind = kind
    self.status = kind.status
    self.detail = detail
  }

  package func with(_ change: (inout Problem) -> Void) -> Problem {
    var problem = self
    change(&problem)
    return problem
  }
}

extension Problem {
  package static let mediaType = "application/problem+json"

  /// The document (RFC 9457 §3), members in a fixed order.
  package var document: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("type", "/problems/" + kind.rawValue)
    writer.member("title", kind.title)
    writer.key("status")
    writer.integer(Int64(status.rawValue))
    writer.member("detail", detail)
    if let pointer { writer.member("pointer", pointer) }
    if let expected { writer.member("expected", expected) }
    if let operation {
      writer.key("operation")
      writer.integer(Int64(operation))
    }
    if let activeCase { writer.member("activeCase", activeCase) }
    if let cases {
      writer.key("cases")
      writer.beginArray()
      for name in cases { writer.string(name) }
      writer.endArray()
    }
    if let curl { writer.member("curl", curl) }
    if let currentETag { writer.member("currentETag", currentETag) }
    if let current {
      writer.key("current")
      writer.raw(current)
    }
    writer.endObject()
    return writer.bytes
  }

  package func write(to output: inout ResponseWriter) {
    output.start(status)
    output.field(.contentType, Self.mediaType)
    output.field(.cacheControl, "no-store")
    if let challenge { output.field(.wwwAuthenticate, challenge) }
    if let allow { output.field(.allow, allow) }
    if let acceptPatch { output.field(.acceptPatch, acceptPatch) }
    if let acceptPost { output.field(custom: "Accept-Post", acceptPost) }
    if let acceptEncoding { output.field(custom: "Accept-Encoding", acceptEncoding) }
    if let currentETag { output.field(.etag, currentETag) }
    if status == .serviceUnavailable || status == .insufficientStorage { output.field(.retryAfter, "5") }
    output.finish(content: document)
  }
}

extension JSONWriter {
  mutating func member(_ name: String, _ text: String) {
    key(name)
    string(text)
  }
}

extension Problem {
  /// What a refused message is answered with.
  package init(_ rejection: Rejection) {
    let kind: ProblemKind =
      switch rejection.status {
      case .requestTimeout: .requestTimeout
      case .requestHeaderFieldsTooLarge, .uriTooLong: .fieldsTooLarge
      case .notImplemented: .notImplemented
      case .internalServerError: .internalError
      case .serviceUnavailable: .unavailable
      default: .malformedRequest
      }
    self.init(kind, rejection.reason)
    status = rejection.status
  }

  init(_ invalid: ValidationError) {
    self.init(ProblemKind(invalid.code), invalid.detail)
    pointer = invalid.pointer
    expected = invalid.expected
  }
}

extension ProblemKind {
  init(_ code: ValidationError.Code) {
    switch code {
    case .value: self = .invalidValue
    case .unknownMember: self = .unknownMember
    case .duplicateMember: self = .duplicateMember
    case .missingMember: self = .missingMember
    case .readOnlyMember: self = .readOnlyMember
    case .duplicateID: self = .duplicateID
    case .conflictingMembers: self = .conflictingMembers
    case .notRemovable: self = .notRemovable
    }
  }
}
