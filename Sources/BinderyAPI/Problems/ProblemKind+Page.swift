import BinderyHTTP

extension ProblemKind {
  /// The HTML page at the problem's `type`: what the problem means and what to do.
  var page: StaticDocument {
    StaticDocument(isPublic: true) {
      HTMLPage(
        title: title,
        body: """
          <h1>\(title)</h1>
          <p>\(status.rawValue) \(status.reason) <code>\(rawValue)</code></p>
          <p>\(explanation)</p>
          <h2>What to do</h2>
          <p>\(advice)</p>
          <p><a href="../problems">All problems</a></p>
          """)
    }
  }

  /// The HTML page that lists all kinds of problems.
  static var index: StaticDocument {
    StaticDocument(isPublic: true) {
      let items = allCases.map {
        let link = "<a href=\"problems/\($0.rawValue)\"><code>\($0.rawValue)</code></a>"
        return "<li>\(link) (\($0.status.rawValue)): \($0.title)</li>"
      }
      return HTMLPage(title: "Problems", body: "<h1>Problems</h1>\n<ul>\n\(items.joined(separator: "\n"))\n</ul>")
    }
  }
}

// The texts below are inserted into HTML without escaping: they contain no “<” and no “&”.
extension ProblemKind {
  /// An explanation of the problem, for its page and for the OpenAPI document.
  package var explanation: String {
    switch self {
    case .malformedRequest:
      """
      The request is not valid HTTP (RFC 9112), is ambiguous, or uses an unsupported version or expectation. The \
      server closes the connection after this response.
      """
    case .malformedPath:
      """
      The path is not valid: it must be percent-encoded UTF-8 without NUL and without the segments “.” and “..”, and \
      “~” must be followed by 0 or 1.
      """
    case .malformedQuery: "A query parameter is unknown, repeated, or has an invalid value. The detail names it."
    case .malformedHeader: "A header field has an invalid value. The detail names the field."
    case .malformedJSON:
      "The body is not valid JSON (RFC 8259): one value, in UTF-8, with at most 64 levels of nesting."
    case .unauthorized: "The request has no token, or its token or session is not valid."
    case .forbidden:
      "The token is read-only, or a web page of another origin tried to write."
    case .misdirectedRequest:
      "The Host of the request is not one of the server's host names, or its target is an https URL without TLS."
    case .unknownPath:
      """
      The path does not exist: the types of the state do not define it. For a path inside a JSON Patch, the status is \
      409, and “pointer” shows the operation.
      """
    case .inactiveCase: "The path goes through a case of an enum, but another case (“activeCase”) is active."
    case .nilOptional: "The path goes through an optional that is null at the moment."
    case .noSuchElement: "The collection has no element with this id, or no entry with this key."
    case .cannotCreate:
      """
      PUT creates a missing case, optional, element or entry, but it cannot create a member of a value that does not \
      exist.
      """
    case .methodNotAllowed: "The path does not support this method."
    case .notAcceptable: "The Accept header of the request does not include a media type of this resource."
    case .unsupportedMediaType: "The path does not accept the Content-Type or the Content-Encoding of the body."
    case .contentTooLarge:
      """
      The body is larger than 1 MiB, or a JSON Patch copies and moves more than 1 MiB in total, moves more than \
      20,000,000 elements of arrays, or makes the server compute members again more than 64 times, or compute \
      them and check changed values again for more than 10 ms.
      """
    case .rangeNotSatisfiable: "The file has no byte of the range in the Range header."
    case .preconditionFailed:
      """
      The condition in If-Match or If-None-Match does not hold, usually because another client has changed the value. \
      “currentETag” is the ETag of the current value, and “current” is the value itself unless it is long.
      """
    case .testFailed: "A “test” operation of the JSON Patch (“operation”) failed, so the whole patch was rejected."
    case .invalidValue: "A value has the wrong type or is out of range. “pointer” shows where."
    case .unknownMember: "The body has a member (“pointer”) that the type does not define."
    case .duplicateMember: "An object in the body contains the same member (“pointer”) more than once."
    case .missingMember: "The body lacks a member (“pointer”) that is required to replace or create this value."
    case .readOnlyMember: "The body would change a member (“pointer”) that is read-only."
    case .duplicateID: "Another element of the collection already has this id."
    case .conflictingMembers:
      "A computed member in the body changes a stored member that the same body sets to another value."
    case .notRemovable: "Only optionals, elements of collections and entries of dictionaries can be removed."
    case .invalidState: "Each value is valid, but together they violate a rule of the model. The detail names the rule."
    case .idempotencyKeyReused:
      """
      The Idempotency-Key of the request was sent before with another method, URL, body, Content-Type, Prefer or \
      condition, and that write changed the state. Keys are kept for a day, and at most the last 100,000 of them.
      """
    case .writeNotKept:
      """
      A setter or a rule of the model ignored or changed the value that was sent, and the request demanded that such \
      writes are rejected (“Prefer: handling=strict”). For a JSON Patch, “operation” is the index of the first \
      operation whose value is not in the result.
      """
    case .changedSince:
      "A revision can be reverted only while its changes are still in place. “pointer” shows a value that has changed."
    case .gone: "The revision is no longer stored: the history is limited in number, age and size."
    case .otherHistory:
      """
      The “history” of the request is not the one that the server's revisions belong to (State-History): a backup was \
      restored, the state was imported or replaced by a data file (--reseed), a store in memory was started again, or \
      a standby of PostgreSQL was promoted.
      """
    case .requestTimeout: "The header section or the body of the request did not arrive in time."
    case .fieldsTooLarge:
      """
      The request line or the header section is too large. The limits are 8 KiB for the request line, and \
      16 KiB and 100 fields for the header section.
      """
    case .notImplemented: "The server does not know this method."
    case .insufficientStorage:
      "The write could not be stored because the disk is full, or a quota or file size limit is reached. The state is "
        + "unchanged."
    case .unavailable:
      """
      The server cannot handle the request at the moment: it is shutting down, overloaded, or cannot store writes. A \
      write with this response was not applied and will not be.
      """
    case .behind:
      """
      Several servers share the state. The request asked for the newest state, or for one that its client has seen on \
      another server (State-Revision and State-History), and this server could not confirm within 5 seconds that it \
      has it. It does not answer with an older state.
      """
    case .unknownOutcome:
      """
      The disk or the database failed while the write was being stored, and the server cannot read back whether it \
      was. Until it can, no write is accepted and the state shows the last revision that is certain.
      """
    case .internalError: "The server failed to handle the request."
    }
  }

  /// The next step for the client, for the problem's page.
  var advice: String {
    switch self {
    case .malformedRequest: "Check the HTTP client. The detail says which part of the message is not valid."
    case .malformedPath:
      "Percent-encode each segment of the path. In a key, write “~0” for “~” and “~1” for “/”."
    case .malformedQuery: "Correct the parameter, or leave it out."
    case .malformedHeader: "Correct the field. An entity tag is in double quotes, as in the ETag field of a response."
    case .malformedJSON:
      """
      Correct the body. The detail gives the position of the error in bytes. A JSON string includes its double quotes; \
      in a shell, put the complete value in single quotes: -d '"text"'.
      """
    case .unauthorized:
      """
      Send “Authorization: Bearer TOKEN” with a token of this server. A browser can exchange the token for a cookie \
      with POST /session.
      """
    case .forbidden:
      "Use a token with write permission, or allow the origin of the page on the server (--allow-origin)."
    case .misdirectedRequest:
      "Use an IP address, localhost or one of the server's host names, or allow this name on the server (--allow-host)."
    case .unknownPath: "GET /state to see the members of the state; /docs and /openapi.yaml list all paths."
    case .inactiveCase: "PUT a value to the path to switch to that case. “curl”, if present, is the complete command."
    case .nilOptional:
      "PUT a value to the optional first. If it is computed, write to the member that it is computed from."
    case .noSuchElement: "GET the collection to see its elements. PUT or POST creates an element."
    case .cannotCreate: "PUT the complete parent, including this value."
    case .methodNotAllowed: "Use one of the methods in the Allow field of the response."
    case .notAcceptable: "Accept application/json, or text/event-stream for events, or leave out the Accept field."
    case .unsupportedMediaType:
      """
      Send one of the media types in the Accept-Patch or Accept-Post field of the response, usually application/json, \
      without a content coding. A web page of another site must name the type of a POST.
      """
    case .contentTooLarge: "Split the change into several requests, each to the path of a smaller value."
    case .rangeNotSatisfiable: "Send a range within the size that Content-Range names, or leave out the Range field."
    case .preconditionFailed:
      "Check that your change is still correct for the current value, then retry with “currentETag” as If-Match."
    case .testFailed: "GET the current value (or see “current”), create the patch again, and retry."
    case .invalidValue: "Correct the value. “expected” describes the valid values."
    case .unknownMember: "Remove or rename the member. “expected”, if present, lists the valid names."
    case .duplicateMember: "Send each member once."
    case .missingMember: "Add the member, or use PATCH to change only the members that you send."
    case .readOnlyMember: "Leave the member out, or send it with its current value."
    case .duplicateID: "Choose another id, or PATCH the existing element."
    case .conflictingMembers: "Send only one of the two members, or values that agree."
    case .notRemovable: "Use PUT or PATCH to set another value."
    case .invalidState: "Send values that satisfy the rule. A JSON Patch can change several values together."
    case .idempotencyKeyReused:
      "Send each change with a new key, for example a UUID. Repeat a request without any difference."
    case .writeNotKept:
      "Send a value that the setter accepts, or leave out “handling=strict” to accept the result of the setter."
    case .changedSince:
      "Revert the later revision first (GET /history?path=… finds it), or set the earlier value with PATCH or PUT."
    case .gone: "GET /history returns the revisions that are still stored; “oldest” is the number of the first one."
    case .otherHistory:
      "Read the state and the history again. Revision numbers of different histories are not comparable."
    case .requestTimeout: "Retry on a faster connection, or send a smaller body."
    case .fieldsTooLarge: "Shorten the path, the query or the header."
    case .notImplemented: "Use GET, HEAD, PATCH, PUT, POST, DELETE or OPTIONS."
    case .insufficientStorage: "Free space on the server's disk. Retry after the seconds in the Retry-After field."
    case .unavailable: "Retry after the seconds in the Retry-After field."
    case .behind:
      """
      Retry after the seconds in the Retry-After field, perhaps on another server. Without State-Revision and “Prefer: \
      read=newest” the server answers with the state that it has.
      """
    case .unknownOutcome:
      """
      Send a request with an Idempotency-Key again: it is stored at most once. Otherwise wait until /readyz is 200, \
      then GET the path. If State-Revision is the same as in this response, the write was not stored: send it again. \
      If it is higher, or this response has none because several servers share the state, compare the value with the \
      one that was sent.
      """
    case .internalError: "Read the value to see whether a write was applied, and look at the server's log."
    }
  }
}
