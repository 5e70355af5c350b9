package import BinderyHTTP

/// A kind of problem that the service reports.
///
/// The raw value is the stable, machine-readable name: the `type` of a problem is `/problems/` and this name.
package enum ProblemKind: String, Sendable, CaseIterable {
  case malformedRequest = "malformed-request"
  case malformedPath = "malformed-path"
  case malformedQuery = "malformed-query"
  case malformedHeader = "malformed-header"
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
  case rangeNotSatisfiable = "range-not-satisfiable"
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
  case idempotencyKeyReused = "idempotency-key-reused"
  case writeNotKept = "write-not-kept"
  case changedSince = "changed-since"
  case gone = "gone"
  case otherHistory = "other-history"
  case requestTimeout = "request-timeout"
  case fieldsTooLarge = "fields-too-large"
  case notImplemented = "not-implemented"
  case insufficientStorage = "insufficient-storage"
  case unavailable = "unavailable"
  case behind = "behind"
  case unknownOutcome = "unknown-outcome"
  case internalError = "internal-error"

  /// The default status. A problem may be reported with another status: for example 404 for a read of an absent value.
  package var status: HTTPStatus {
    switch self {
    case .malformedRequest, .malformedPath, .malformedQuery, .malformedHeader, .malformedJSON: .badRequest
    case .unauthorized: .unauthorized
    case .forbidden: .forbidden
    case .misdirectedRequest: .misdirectedRequest
    case .unknownPath: .notFound
    case .inactiveCase, .nilOptional, .cannotCreate, .testFailed, .writeNotKept, .changedSince: .conflict
    case .gone, .otherHistory: .gone
    case .noSuchElement: .notFound
    case .methodNotAllowed: .methodNotAllowed
    case .notAcceptable: .notAcceptable
    case .unsupportedMediaType: .unsupportedMediaType
    case .contentTooLarge: .contentTooLarge
    case .rangeNotSatisfiable: .rangeNotSatisfiable
    case .preconditionFailed: .preconditionFailed
    case .invalidValue, .unknownMember, .duplicateMember, .missingMember, .readOnlyMember, .duplicateID,
      .conflictingMembers, .notRemovable, .invalidState, .idempotencyKeyReused:
      .unprocessableContent
    case .requestTimeout: .requestTimeout
    case .fieldsTooLarge: .requestHeaderFieldsTooLarge
    case .notImplemented: .notImplemented
    case .insufficientStorage: .insufficientStorage
    case .unavailable, .behind, .unknownOutcome: .serviceUnavailable
    case .internalError: .internalServerError
    }
  }

  /// A short phrase that is the same for every occurrence (RFC 9457 §3.1.3).
  package var title: String {
    switch self {
    case .malformedRequest: "Bad request: malformed HTTP message"
    case .malformedPath: "Bad request: malformed path"
    case .malformedQuery: "Bad request: malformed query"
    case .malformedHeader: "Bad request: malformed header field"
    case .malformedJSON: "Bad request: malformed JSON"
    case .unauthorized: "Unauthorized: a valid token is required"
    case .forbidden: "Forbidden: the token is read-only, or the origin is not allowed"
    case .misdirectedRequest: "Misdirected request: not an address of this server"
    case .unknownPath: "Unknown path"
    case .inactiveCase: "Another case is active"
    case .nilOptional: "The optional is null"
    case .noSuchElement: "No such element"
    case .cannotCreate: "Cannot create: the parent does not exist"
    case .methodNotAllowed: "Method not allowed"
    case .notAcceptable: "Not acceptable"
    case .unsupportedMediaType: "Unsupported media type"
    case .contentTooLarge: "Content too large"
    case .rangeNotSatisfiable: "Range not satisfiable"
    case .preconditionFailed: "Precondition failed"
    case .testFailed: "JSON Patch test failed"
    case .invalidValue: "Invalid value"
    case .unknownMember: "Unknown member"
    case .duplicateMember: "Duplicate member"
    case .missingMember: "Missing member"
    case .readOnlyMember: "Read-only member"
    case .duplicateID: "Duplicate id"
    case .conflictingMembers: "Conflicting members"
    case .notRemovable: "This value cannot be removed"
    case .invalidState: "Invalid state: rejected by the model"
    case .idempotencyKeyReused: "The idempotency key belongs to another request"
    case .writeNotKept: "The value was not kept"
    case .changedSince: "Conflict: changed since that revision"
    case .gone: "Gone: revision no longer stored"
    case .otherHistory: "Gone: the revisions belong to another history"
    case .requestTimeout: "Request timeout"
    case .fieldsTooLarge: "Request line or header too large"
    case .notImplemented: "Not implemented: unknown method"
    case .insufficientStorage: "Insufficient storage"
    case .unavailable: "Service unavailable"
    case .behind: "Service unavailable: this server is behind another one"
    case .unknownOutcome: "The outcome of the write is unknown"
    case .internalError: "Internal server error"
    }
  }
}
