import BinderyCore
import BinderyHTTP
import BinderyTelemetry

/// Requests that listen, or wait for a change.
extension APIResponder {
  /// A stream of one place.
  func stream(
    _ request: StateRequest, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    let options = try StreamOptions(request.query.form, request.query, head, bytes)
    return open([(request.route, Pointer.text(request.segments))], options, head, exchange, &output)
  }

  /// `/events`: a stream of several places.
  func events(
    _ target: RequestTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ exchange: ExchangeID,
    _ output: inout ResponseWriter
  ) throws(Problem) -> Disposition {
    switch head.method {
    case .get, .head: break
    case .options:
      var response = Response(.noContent)
      response.say(.allow, "GET, HEAD, OPTIONS")
      response.write(to: &output)
      return .complete
    default:
      throw Problem(.methodNotAllowed, "\(head.method.name) is not allowed here.")
        .with { $0.allow = "GET, HEAD, OPTIONS" }
    }
    let places = try api.state.watched(target.query.all("path"), atMost: api.streamLimits.paths)
    guard Form.acceptsEvents(head, bytes) else {
      throw Problem(.notAcceptable, "The events have the form text/event-stream.")
    }
    let list = SnapshotCursor.list(places.map(\.path), api.state.key)
    return open(places, try StreamOptions(.snapshots(list: list), target.query, head, bytes), head, exchange, &output)
  }

  private func open(
    _ places: [(route: Route, path: String)], _ options: StreamOptions, _ head: borrowing RequestHead,
    _ exchange: ExchangeID, _ output: inout ResponseWriter
  ) -> Disposition {
    if streams.isFull {
      // A browser's EventSource gives up for good on any status but 200.
      metrics.streams.refused.add()
      output.closeAfterwards()
      output.start(.ok)
    } else {
      output.startStream(.ok)
    }
    output.field(.contentType, "text/event-stream")
    output.field(.cacheControl, "no-store")
    output.field(.xAccelBuffering, "no")
    output.field(.vary, "Accept")
    if streams.isFull {
      output.finish(content: EventFrame.retry(milliseconds: Int.random(in: api.streamLimits.laterRetryMilliseconds)))
      return .complete
    }
    output.beginContent()
    if head.method == .head { return .complete }
    streams.open(places, options, exchange, caller, into: &output)
    return .stream
  }

  /// Whether the request waits for its place to differ from what it knows (`?wait=`).
  func wait(_ request: StateRequest, _ exchange: ExchangeID) throws(Problem) -> Bool {
    guard !request.query.isEmpty, let seconds = try request.query.number("wait", in: 0...60), seconds > 0,
      request.conditions.ifNoneMatch != nil, request.conditions.ifMatch == nil
    else { return false }
    return streams.wait(request, milliseconds: Int64(seconds) * 1_000, exchange, caller)
  }
}

extension StreamOptions {
  /// The header wins over the parameter, which is for the first connection of those who cannot set headers.
  init(_ form: Form, _ query: Query, _ head: borrowing RequestHead, _ bytes: Span<UInt8>) throws(Problem) {
    self.form = form
    cursor = head.first(.lastEventID).map { bytes.text($0) } ?? query["last-event-id"]
    every = Int64(try query.every)
  }
}

extension Query {
  /// The form of a stream's events.
  var form: StreamOptions.Form {
    get throws(Problem) {
      switch self["as"] {
      case nil, "value": .values
      case "patch": .patches
      default: throw Problem(.malformedQuery, "“as” is value or patch.")
      }
    }
  }

  /// The least time between two events, in milliseconds.
  var every: Int { get throws(Problem) { try number("every", in: 0...3_600_000) ?? 0 } }
}
