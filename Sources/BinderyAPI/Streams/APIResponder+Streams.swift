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
    for name in ["limit", "after", "before", "stored"] where request.query[name] != nil {
      throw Problem(.malformedQuery, "An event has the complete value as GET shows it: leave out “\(name)”.")
    }
    var options = try StreamOptions(request.query.form, request.query, head, bytes)
    options.missing = try missingVersions(head, bytes, options.seen)
    return .stream([WatchRequest(route: request.route, path: Pointer.text(request.segments))], options)
  }

  /// Handles `/events`, which opens an event stream of several places.
  func events(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody
  ) throws(Problem) -> Reply {
    if let response = try optionsResponse(head.method, .events, acceptsJSON: true) { return .response(response) }
    guard ResponseFormat.events.isAccepted(by: head, bytes) else {
      throw Problem(
        .notAcceptable, "/events is available as text/event-stream only: add the header “Accept: text/event-stream”.")
    }
    if case .post = head.method { return try postedEvents(head, bytes, body) }
    guard try bodyRange(body) != nil else { return .needsBody }
    let query = try Query(head, bytes, accepting: ["path"] + Query.streamParameters, list: "path")
    let places = try state.watchRequests(query.all("path"), atMost: api.streamLimits.maximumPaths)
    let list = SnapshotCursor.list(places.map(\.path), state.key)
    var options = try StreamOptions(.multiple(list: list), query, head, bytes)
    options.missing = try missingVersions(head, bytes, options.seen)
    return .stream(places, options)
  }

  /// Handles `POST /events`, whose body names the places and what the client has of each.
  private func postedEvents(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody
  ) throws(Problem) -> Reply {
    try MediaType.requireJSON(head, bytes)
    guard let content = try bodyRange(body) else { return .needsBody }
    var options = try StreamOptions(posted: Query(head, bytes, accepting: ["every"]))
    options.missing = try missingVersions(head, bytes)
    let places = try state.watchRequests(
      bytes.extracting(content), atMost: api.streamLimits.maximumPostedPlaces)
    try checkCapacity()
    guard streams.hasCapacity(for: places) else {
      metrics.streams.refused.add()
      throw .tooManyStreams
    }
    return .stream(places, options)
  }

  /// Writes the head of an event stream and its first event.
  func open(
    _ places: [WatchRequest], _ options: StreamOptions, _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) -> Disposition {
    let hasCapacity = streams.hasCapacity(for: places)
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
    if !options.missing.isEmpty { reads.add(exchange, missing: options.missing, limit: nil) }
    return .stream
  }

  /// Begins a long poll if the request asks for one with `?wait=SECONDS` and `If-None-Match`.
  ///
  /// - Returns: nil if the response can be written now.
  func longPoll(
    _ request: StateRequest, _ exchange: ExchangeID, _ principal: Principal
  ) throws(Problem) -> LongPoll? {
    guard !request.query.isEmpty, let seconds = try request.query.number("wait", in: 0...60), seconds > 0,
      request.conditions.ifNoneMatch != nil
    else { return nil }
    try checkCapacity(for: .longPoll)
    return streams.wait(request, milliseconds: Int64(seconds) * 1_000, exchange, principal)
  }
}
