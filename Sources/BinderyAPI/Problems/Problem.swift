package import BinderyCore
package import BinderyHTTP
package import BinderyJSON

/// One occurrence of a problem: an error response as `application/problem+json` (RFC 9457).
@dynamicMemberLookup
package struct Problem: Error, Sendable {
  /// The properties of a problem.
  package struct Details: Sendable {
    package let kind: ProblemKind
    package var status: HTTPStatus
    /// A human-readable explanation: what is wrong, what was expected, and what to do next.
    package var detail: String
    /// The offending part of the request body, as a JSON Pointer (RFC 6901).
    package var pointer: String?
    /// A description of the valid values.
    package var expected: String?
    /// The name of the enum case that is active.
    package var activeCase: String?
    /// The names of all cases of the enum.
    package var cases: [String]?
    /// A corrected curl command, which succeeds on the current state.
    package var curl: String?
    /// The entity tag of the current value, in quotes.
    package var currentETag: String?
    /// The current value as canonical JSON.
    package var current: [UInt8]?
    /// The value of `State-Revision`: the last revision that is certainly stored, if the outcome of a write is unknown.
    package var revision: Int?
    /// The index of the JSON Patch operation that failed.
    package var operation: Int?
    /// Further header fields, such as `Allow`, which names the methods of the path. Those without a value are left out.
    package var fields: [(name: FieldName, value: String?)] = []
    /// The value of `WWW-Authenticate`: how to authenticate.
    package var challenge: String?
    /// The number of steps of the path that exist, if the next one does not.
    package var existingSteps: Int?
    /// Indicates that the connection closes after the response.
    package var closesConnection = false

    fileprivate init(_ kind: ProblemKind, _ detail: String) {
      self.kind = kind
      self.status = kind.status
      self.detail = detail
    }
  }

  /// The properties in memory of their own. A problem is large and rare, and most results can be one: they stay small.
  private indirect enum Box: Sendable { case details(Details) }

  private var box: Box

  private var details: Details {
    get {
      switch box {
      case .details(let details): details
      }
    }
    set { box = .details(newValue) }
  }

  /// The kind of problem, from which type and title follow.
  package var kind: ProblemKind { details.kind }

  /// The other properties.
  package subscript<Value>(dynamicMember path: WritableKeyPath<Details, Value>) -> Value {
    get { details[keyPath: path] }
    set { details[keyPath: path] = newValue }
  }

  /// Creates a problem with the kind's default status.
  ///
  /// - Parameters:
  ///   - kind: The kind of problem, from which type, title and status follow.
  ///   - detail: What is wrong in this request, what was expected, and what to do next.
  package init(_ kind: ProblemKind, _ detail: String) {
    box = .details(Details(kind, detail))
  }

  /// Returns a copy with the given changes.
  package func with(_ change: (inout Problem) -> Void) -> Problem {
    var problem = self
    change(&problem)
    return problem
  }
}

// MARK: Writing

extension Problem {
  /// The media type of the document.
  package static let mediaType = "application/problem+json"

  /// The maximum size of a detail and of a pointer, which may quote names of any length from the request, in bytes.
  private static let maximumQuotedBytes = 8_192

  /// Returns a pointer, or the longest part of it that is not too long and names a value around its place.
  private static func shortened(_ pointer: String) -> String {
    guard pointer.utf8.count > maximumQuotedBytes else { return pointer }
    let start = pointer.utf8.prefix(maximumQuotedBytes)
    return String(pointer[..<(start.lastIndex(of: UInt8(ascii: "/")) ?? pointer.startIndex)])
  }

  /// Returns the JSON document (RFC 9457 §3). Its members have a fixed order.
  ///
  /// - Parameter basePath: The base path of the service, with which `type` begins.
  package func document(_ basePath: BasePath) -> [UInt8] {
    let details = details
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("type", "\(basePath.text)/problems/\(kind.rawValue)")
    writer.member("title", kind.title)
    writer.member("status", Int64(details.status.rawValue))
    writer.member("detail", Array(details.detail.utf8)[...].excerpt(maximum: Self.maximumQuotedBytes))
    if let pointer = details.pointer { writer.member("pointer", Self.shortened(pointer)) }
    if let expected = details.expected { writer.member("expected", expected) }
    if let operation = details.operation {
      writer.member("operation", Int64(operation))
    }
    if let activeCase = details.activeCase { writer.member("activeCase", activeCase) }
    if let cases = details.cases {
      writer.key("cases")
      writer.beginArray()
      for name in cases { writer.string(name) }
      writer.endArray()
    }
    if let curl = details.curl { writer.member("curl", curl) }
    if let currentETag = details.currentETag { writer.member("currentETag", currentETag) }
    if let current = details.current {
      writer.key("current")
      writer.raw(current)
    }
    writer.endObject()
    return writer.bytes
  }

  /// Returns the error response.
  ///
  /// - Parameter basePath: The base path of the service.
  package func response(_ basePath: BasePath) -> Response {
    let details = details
    var response = Response(
      details.status, .bytes(document(basePath) + [UInt8(ascii: "\n")], mediaType: Self.mediaType),
      revision: details.revision)
    response.isVolatile = true
    response.closesConnection = details.closesConnection
    response.addField(.wwwAuthenticate, details.challenge)
    for (name, value) in details.fields { response.addField(name, value) }
    response.addField(.etag, details.currentETag)
    if details.status == .serviceUnavailable || details.status == .insufficientStorage {
      response.addField(.retryAfter, "5")
    }
    return response
  }
}

// MARK: Creating a problem from an error

extension Problem {
  /// Creates the problem for an HTTP message that was rejected before it was routed.
  package init(_ rejection: Rejection) {
    let kind: ProblemKind =
      switch rejection.status {
      case .misdirectedRequest: .misdirectedRequest
      case .requestTimeout: .requestTimeout
      case .requestHeaderFieldsTooLarge, .uriTooLong: .fieldsTooLarge
      case .notImplemented: .notImplemented
      case .internalServerError: .internalError
      case .serviceUnavailable: .unavailable
      default: .malformedRequest
      }
    self.init(kind, rejection.reason)
    self.status = rejection.status
  }

  /// Returns the problem for a method that a path does not support.
  ///
  /// - Parameter allowed: The methods that it supports.
  static func methodNotAllowed(_ method: Method, _ allowed: AllowedMethods) -> Problem {
    // The content of a response to HEAD is as long as that to GET (RFC 9110 §8.6).
    let method = method == .head ? .get : method
    return Problem(.methodNotAllowed, "\(method.name) is not allowed on this path. Allowed methods: \(allowed.field).")
      .with {
        $0.fields = [(.allow, allowed.field)]
      }
  }

  /// The problem for a request body that exceeds the server's limit.
  static var bodyTooLarge: Problem {
    Problem(.contentTooLarge, "The body is longer than 1 MiB. Split the change into smaller requests.")
  }

  /// The problem for a request to a server that is stopping.
  static var stopping: Problem {
    Problem(
      .unavailable, "The server is shutting down. Nothing was changed; retry after the seconds in Retry-After."
    ).with { $0.closesConnection = true }
  }

  /// The problem for a request that arrives while too many others wait for a response.
  static var tooManyPendingResponses: Problem {
    Problem(
      .unavailable,
      "Too many requests are waiting for a response. Nothing was changed; retry after the seconds in Retry-After.")
  }

  /// The problem for a stream that would exceed a limit of all streams together.
  static var tooManyStreams: Problem {
    Problem(
      .unavailable,
      "Too many event streams are open, or they watch too many places. Retry after the seconds in Retry-After.")
  }

  /// The problem for a write that arrives while too many bytes of others wait for the disk.
  static var tooManyPendingBytes: Problem {
    Problem(
      .unavailable,
      "Too many bytes of writes are waiting for the disk. Nothing was changed; retry after the seconds in Retry-After.")
  }

  /// Creates the problem for a write that the journal could not store, or cannot tell whether it did.
  init(_ failure: JournalFailure) {
    switch failure {
    case .full(let reason): self.init(.insufficientStorage, "\(reason) Nothing was changed.")
    case .unavailable, .outdated, .overtaken: self.init(.unavailable, "\(failure.reason) Nothing was changed.")
    case .unknownOutcome(let reason, let revision):
      let comparison =
        revision.map {
          "if State-Revision is still \($0), the write was not stored; if it is higher, compare the value."
        }
          ?? """
          compare the value, which other servers may have changed meanwhile. A request with an Idempotency-Key can be \
          sent again at once: it is stored at most once.
          """
      self.init(
        .unknownOutcome,
        "\(reason) It is not known whether this write was stored. Once /readyz is 200, GET the path: \(comparison)")
      self.revision = revision
    }
  }

  /// Creates the problem for a read of the history that failed.
  init(reading failure: JournalFailure) { self.init(.unavailable, failure.reason) }

  /// Creates the problem for a body that is not JSON.
  package init(_ error: JSONSyntaxError) { self.init(.malformedJSON, "The body is not valid JSON: \(error).") }

  /// Creates the problem for a JSON value that does not fit its type.
  package init(_ invalid: ValidationError) {
    // The detail may begin with JSON, which stays as it is.
    let beginsWithJSON = ["true", "false", "null"].contains { invalid.detail.hasPrefix("\($0) ") }
    let first = beginsWithJSON ? "\(invalid.detail.prefix(1))" : invalid.detail.prefix(1).uppercased()
    // The raw value of a code is the name of its problem.
    let kind = ProblemKind(rawValue: invalid.code.rawValue) ?? .invalidValue
    self.init(kind, first + invalid.detail.dropFirst() + ".")
    self.pointer = invalid.pointer
    self.expected = invalid.expected
  }

  /// Creates the problem for a state that the model rejects.
  init(_ invalid: InvalidState) {
    self.init(.invalidState, invalid.message)
    self.pointer = invalid.pointer
  }

  /// Creates the problem for an edit that failed.
  init(_ error: EditError) {
    switch error {
    case .absent(let absence): self.init(absence)
    case .invalid(let invalid): self.init(invalid)
    case .cannotCreate(let depth):
      self.init(
        .cannotCreate,
        "The parent of this value does not exist, and this request cannot create it. PUT the complete parent first."
      )
      self.existingSteps = depth
    }
  }

  /// Creates the problem for a write to a value that is absent. See ``forRead`` for a read.
  init(_ absence: Absence) {
    switch absence.reason {
    case .inactiveCase(let wanted, let active):
      self.init(
        .inactiveCase, "The case “\(wanted)” is not active; “\(active)” is. PUT a value to “\(wanted)” to switch to it."
      )
      self.activeCase = active
    case .nilOptional:
      self.init(.nilOptional, "The path goes through an optional that is nil.")
    case .noSuchElement(let key):
      let element = key.isEmpty ? "such element" : "element “\(key)”"
      self.init(.noSuchElement, "There is no \(element) in this collection.")
    }
    self.existingSteps = absence.depth
  }

  /// The problem as it is reported to a read: every absent value is a 404.
  var forRead: Problem { with { $0.status = .notFound } }
}

extension Problem: CustomStringConvertible {
  package var description: String { "\(kind.rawValue): \(self.detail)" + (self.pointer.map { " (at \($0))" } ?? "") }
}
