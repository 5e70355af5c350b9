import BinderyHTTP
import BinderyTelemetry

/// The facts about a request that metrics and the access log need besides its response.
struct RequestOutcome {
  /// The metrics of the route; nil if the path is outside the state.
  var route: RouteMetrics?
  /// The kind of problem that the response reports.
  var problem: ProblemKind?
  /// Whether a write left the state unchanged.
  var isUnchanged = false
}

/// The state of a request whose response has not ended.
final class ObservedRequest {
  let method: Method
  let route: RouteMetrics
  /// The event loop's monotonic clock, in nanoseconds.
  let startedAt: Int64
  /// Whether the request is a long poll (`?wait=`).
  var isLongPoll = false
  let trace: TraceContext?
  /// The path as it was sent, without the query, which may contain secrets.
  let path: String
  var isStream = false
  /// The status of the response; nil until the response begins.
  var status: HTTPStatus?
  var sentBytes = 0

  init(method: Method, route: RouteMetrics, startedAt: Int64, trace: TraceContext?, path: String) {
    self.method = method
    self.route = route
    self.startedAt = startedAt
    self.trace = trace
    self.path = path
  }
}
