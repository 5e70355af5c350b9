package import BinderyHTTP

/// Every kind of problem that the service reports: its stable name, and the page that explains it.
package enum ProblemKind: String, Sendable, CaseIterable {
  case malformedRequest = "malformed-request"
  case malformedPath = "malformed-path"
  case malformedQuery = "malformed-query"
  case malformedJSON = "malformed-json"
  case unauthorized
  case forbidden
  case misdirectedRequest = "misdirected-request"
  case unknownPath = "unknown-path"
  case inactiveCase = "inactive-case"
  case nilOptional = "nil-optional"
  case noSuchElement = "no-such-element"
  case cannotCreate = "cannot-create"
  case methodNotAllowed = "method-not-allowed"
  case notAcceptable = "not-acceptable"
  case unsupportedMediaType = "unsupported-media-type"
  case contentTooLarge = "content-too-large"
  case preconditionFailed = "precondition-failed"
  case testFailed = "test-failed"
  case invalidValue = "invalid-value"
  case unknownMember = "unknown-member"
  case duplicateMember = "duplicate-member"
  case missingMember = "missing-member"
  case readOnlyMember = "read-only-member"
  case duplicateID = "duplicate-id"
  case conflictingMembers = "conflicting-members"
  case notRemovable = "not-removable"
  case invalidState = "invalid-state"
  case writeNotKept = "write-not-kept"
  case changedSince = "changed-since"
  case gone = "gone"
  case requestTimeout = "request-timeout"
  case fieldsTooLarge = "fields-too-large"
  case notImplemented = "not-implemented"
  case insufficientStorage = "insufficient-storage"
  case unavailable = "unavailable"
  case internalError = "internal-error"

  /// The status that it is usually reported with.
  package var status: HTTPStatus {
    switch self {
    case .malformedRequest, .malformedPath, .malformedQuery, .malformedJSON: .badRequest
    case .unauthorized: .unauthorized
    case .forbidden: .forbidden
    case .misdirectedRequest: .misdirectedRequest
    case .unknownPath: .notFound
    case .inactiveCase, .nilOptional, .cannotCreate, .testFailed, .writeNotKept, .changedSince: .conflict
    case .gone: .gone
    case .noSuchElement: .notFound
    case .methodNotAllowed: .methodNotAllowed
    case .notAcceptable: .notAcceptable
    case .unsupportedMediaType: .unsupportedMediaType
    case .contentTooLarge: .contentTooLarge
    case .preconditionFailed: .preconditionFailed
    case .invalidValue, .unknownMember, .duplicateMember, .missingMember, .readOnlyMember, .duplicateID,
      .conflictingMembers, .notRemovable, .invalidState:
      .unprocessableContent
    case .requestTimeout: .requestTimeout
    case .fieldsTooLarge: .requestHeaderFieldsTooLarge
    case .notImplemented: .notImplemented
    case .insufficientStorage: .insufficientStorage
    case .unavailable: .serviceUnavailable
    case .internalError: .internalServerError
    }
  }

  /// A short sentence that is the same for every occurrence (RFC 9457 §3.1.3).
  package var title: String {
    switch self {
    case .malformedRequest: "The request is malformed"
    case .malformedPath: "The path is malformed"
    case .malformedQuery: "The query is malformed"
    case .malformedJSON: "The body is not JSON"
    case .unauthorized: "A token is needed"
    case .forbidden: "That is not for you to do"
    case .misdirectedRequest: "The request is for another host"
    case .unknownPath: "There is no such place"
    case .inactiveCase: "Another case is active"
    case .nilOptional: "There is nothing there now"
    case .noSuchElement: "There is no such element"
    case .cannotCreate: "The place cannot be made from here"
    case .methodNotAllowed: "The method is not allowed here"
    case .notAcceptable: "No acceptable form"
    case .unsupportedMediaType: "The body's media type is not supported here"
    case .contentTooLarge: "The body is too large"
    case .preconditionFailed: "A precondition failed"
    case .testFailed: "A test of the patch failed"
    case .invalidValue: "A value does not fit"
    case .unknownMember: "A member is unknown"
    case .duplicateMember: "A member stands twice"
    case .missingMember: "A member is missing"
    case .readOnlyMember: "A member is read-only"
    case .duplicateID: "An id stands twice"
    case .conflictingMembers: "Members of the request contradict each other"
    case .notRemovable: "The place cannot be empty"
    case .invalidState: "The model refuses the result"
    case .writeNotKept: "The write was not kept"
    case .changedSince: "It has changed since"
    case .gone: "It is no longer kept"
    case .requestTimeout: "The request took too long"
    case .fieldsTooLarge: "The request's head is too large"
    case .notImplemented: "Not implemented"
    case .insufficientStorage: "There is no room to keep the write"
    case .unavailable: "Not available just now"
    case .internalError: "Something went wrong in the server"
    }
  }

  /// What it means and what to do, for the page.
  package var explanation: String {
    switch self {
    case .malformedRequest:
      "The message is not HTTP as RFC 9112 has it, or is ambiguous. The connection was closed after this answer."
    case .malformedPath:
      """
      A path is percent-encoded UTF-8 without NUL and without the segments “.” and “..”; “~” stands only \
      in “~0” and “~1”.
      """
    case .malformedQuery: "A parameter of the query has a value that it cannot have; the detail names it."
    case .malformedJSON: "The body must be one JSON text as RFC 8259 has it, in UTF-8, at most 64 levels deep."
    case .unauthorized:
      """
      Send a token of this server as “Authorization: Bearer …”. POST /session with it gives a browser a cookie that \
      does instead.
      """
    case .forbidden:
      """
      The token is for reading only, or a page of another api has tried to write with this browser's session.
      """
    case .misdirectedRequest:
      """
      The “Host” of the request is not a name of this server. It is started with “--allow-host” for each name but \
      those of the loopback.
      """
    case .unknownPath:
      """
      The types of the state have no such place. Members, cases, labels and ids are the segments of a \
      path; GET /state shows them all.
      """
    case .inactiveCase:
      """
      The path leads through a case of an enum, and another case is active (“activeCase”). PUT switches to \
      the case; “curl” is a command that does.
      """
    case .nilOptional: "The path leads through an optional that is nil now. PUT to the optional itself fills it."
    case .noSuchElement: "The path names an element that is not there (any more)."
    case .cannotCreate:
      """
      PUT makes missing cases, optionals, elements and entries, but not a member of something that is \
      missing: PUT the whole of it instead.
      """
    case .methodNotAllowed: "The field “Allow” lists the methods of this place."
    case .notAcceptable: "The place has the forms application/json and text/event-stream."
    case .unsupportedMediaType: "The fields “Accept-Patch” and “Accept-Post” list what can be sent."
    case .contentTooLarge: "A body may have one mebibyte, and a JSON Patch may copy and move as much in all."
    case .preconditionFailed:
      """
      The value is not the one that the condition names: somebody else was faster. “currentETag” and \
      “current” are what is there now; a long value is left out.
      """
    case .testFailed: "The “test” of the patch (“operation”) does not hold, so nothing was changed."
    case .invalidValue: "“pointer” says where, “expected” what would fit."
    case .unknownMember: "“pointer” names a member that the type does not have."
    case .duplicateMember: "“pointer” names a member that stands twice in one object."
    case .missingMember: "What is replaced or made new needs this member."
    case .readOnlyMember: "A read-only member may be sent along only with the value that it has."
    case .duplicateID: "Another element of the sequence has this id."
    case .conflictingMembers:
      "A computed member of the request changes a stored member that the same request sets to something else."
    case .notRemovable: "Only optionals and elements can be removed."
    case .invalidState: "Every value fits its type, but together they break a rule of the model."
    case .writeNotKept:
      "The setter of a computed place did not keep the value, and “Prefer: handling=strict” asked to refuse that."
    case .changedSince:
      "A revision is taken back only where everything is as it left it; “pointer” names a place that is not."
    case .gone: "Revisions are kept for a while only; “oldest” of GET /history is the first that is there."
    case .requestTimeout: "The head or the body of the request came too slowly."
    case .fieldsTooLarge: "The request line may have 8 KiB, the fields 16 KiB and 100 lines."
    case .notImplemented: "The method is known nowhere on this server."
    case .insufficientStorage: "The state is what it was; writing works again when there is room."
    case .unavailable: "Try again after the seconds in “Retry-After”."
    case .internalError: "The request was not carried out."
    }
  }
}
