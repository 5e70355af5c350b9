import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyTelemetry

/// Requests for event streams, and long polls.
extension APIResponder {
  /// Opens an event stream of one place.
  func stream(
    _ request: StateRequest, _ head: borrowing RequestHead, _ bytes: Span<UInt8>
  ) throws(Problem) -> Reply {
    let options = try StreamOptions(request.query.form, request.query, head, bytes)
    return .stream([WatchRequest(route: request.route, path: Pointer.text(request.segments))], options)
  }

  /// Handles `/events`, which opens an event stream of several places.
  func events(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody
  ) throws(Problem) -> Reply {
    if let response = try optionsResponse(head.method, .events) { return .response(response) }
    guard ResponseFormat.acceptsEvents(head, bytes) else {
      throw Problem(
        .notAcceptable, "/events is available as text/event-stream only: add the header “Accept: text/event-stream”.")
    }
    if case .post = head.method { return try postedEvents(head, bytes, body) }
    guard try bodyRange(body) != nil else { return .needsBody }
    let query = try Query(head, bytes, accepting: ["path"] + Query.streamParameters, list: "path")
    let places = try api.state.watchRequests(query.all("path"), atMost: api.streamLimits.maximumPaths)
    let list = SnapshotCursor.list(places.map(\.path), api.state.key)
    return .stream(places, try StreamOptions(.multiple(list: list), query, head, bytes))
  }

  /// Handles `POST /events`, whose body names the places and what the client has of each.
  private func postedEvents(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody
  ) throws(Problem) -> Reply {
    try MediaType.requireJSON(head, bytes)
    guard let content = try bodyRange(body) else { return .needsBody }
    let options = try StreamOptions(posted: Query(head, bytes, accepting: ["every"]))
    let places = try api.state.watchRequests(
      bytes.extracting(content), atMost: api.streamLimits.maximumPostedPlaces)
    try checkCapacity()
    guard streams.hasCapacity(for: places.count) else {
      metrics.streams.refused.add()
      throw .tooManyStreams
    }
    return .stream(places, options)
  }

  /// Writes the head of an event stream and its first event.
  func open(
    _ places: [WatchRequest], _ options: StreamOptions, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) -> Disposition {
    let hasCapacity = streams.hasCapacity(for: places.count)
    if !hasCapacity {
      // A browser's EventSource reconnects after a 200 response, and never after another status. An overloaded server
      // therefore sends 200 with a `retry:` field, and closes the connection.
      metrics.streams.refused.add()
      output.closeAfterResponse()
      output.start(.ok)
    } else {
      output.startStream(.ok)
    }
    output.field(.contentType, "text/event-stream")
    output.field(.cacheControl, "no-store")
    output.field(.xAccelBuffering, "no")
    output.field(.vary, "Accept")
    if !hasCapacity {
      output.finish(content: EventFrame.retry(milliseconds: Int.random(in: api.streamLimits.laterRetryMilliseconds)))
      return .complete
    }
    output.beginStreamContent()
    if output.context.isHead { return .complete }
    streams.open(places, options, exchange, caller, into: &output)
    return .stream
  }

  /// Begins a long poll if the request asks for one with `?wait=SECONDS` and `If-None-Match`.
  ///
  /// - Returns: nil if the response can be written now.
  func longPoll(_ request: StateRequest, _ exchange: ExchangeID) throws(Problem) -> LongPoll? {
    guard !request.query.isEmpty, let seconds = try request.query.number("wait", in: 0...60), seconds > 0,
      request.conditions.ifNoneMatch != nil, request.conditions.ifMatch == nil
    else { return nil }
    try checkCapacity(for: .longPoll)
    return streams.wait(request, milliseconds: Int64(seconds) * 1_000, exchange, caller)
  }
}

/// The options of a request for an event stream.
struct StreamOptions {
  /// The form of the events.
  enum Form {
    /// Each event is the current value of one place.
    case values
    /// The first event is the value of one place; the following ones are JSON Patches.
    case patches(PatchBuilder.Addressing)
    /// Each event has the changes of several places. `list` is the digest of the list of paths, which event ids
    /// contain; nil for events without ids.
    case multiple(list: Digest?)
  }

  let form: Form
  /// The tag of the last event that the client received.
  let cursor: String?
  /// The minimum time between two events.
  let minimumIntervalMilliseconds: Int64

  /// Reads the options from a request.
  ///
  /// The `Last-Event-ID` header takes precedence over the query parameter. The parameter is for the first connection
  /// of a browser page, which cannot set the header.
  init(_ form: Form, _ query: Query, _ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    self.form = form
    let id = head.first(.lastEventID).map { bytes.text($0) } ?? query["last-event-id"]
    cursor = id.map(EventID.tag)
    minimumIntervalMilliseconds = Int64(try query.minimumInterval)
  }

  /// Creates the options of `POST /events`, whose body says what the client has.
  init(posted query: Query) throws(Problem) {
    form = .multiple(list: nil)
    cursor = nil
    minimumIntervalMilliseconds = Int64(try query.minimumInterval)
  }
}

extension Query {
  /// The parameters of every event stream.
  static let streamParameters = ["every", "last-event-id"]

  /// The form of the events of a one-place stream, from the parameters `as` and `ids`.
  var form: StreamOptions.Form {
    get throws(Problem) {
      switch self["as"] {
      case nil, "value": .values
      case "patch": .patches(try flag("ids") ? .ids : .indices)
      case let form?: throw Problem(.malformedQuery, "Expected “as” to be value or patch, got “\(form)”.")
      }
    }
  }

  /// The minimum time between two events in milliseconds, from the parameter `every`.
  var minimumInterval: Int { get throws(Problem) { try number("every", in: 0...3_600_000) ?? 0 } }
}
