import BinderyHTTP
import BinderyTelemetry
import Synchronization

/// The metrics of one event loop. Only that loop writes; a scrape reads from another thread.
final class LoopMetrics: Sendable {
  /// A request method together with the type of the problem that it received.
  struct ProblemKey: Hashable, Sendable {
    let method: Method
    let kind: ProblemKind
  }

  private struct LockedMetrics {
    var routes: [String: RouteMetrics] = [:]
    var problems: [ProblemKey: Int] = [:]
    var rejections: [Rejection: Int] = [:]
  }

  /// The lock protects what is written rarely: new routes, and counts of errors. Only a scrape contends for it.
  private let locked = Mutex(LockedMetrics())
  /// Successful writes that did not change the state.
  let unchanged = Counter()
  /// Requests whose client disconnected before the response.
  let abandoned = Counter()
  /// Requests that are waiting for their response.
  let waiting = Gauge()
  let streams = StreamMetrics()

  /// Returns the metrics of a route, creating them if needed.
  ///
  /// This takes a lock and hashes a string: requests for the state keep the result.
  func route(_ template: String) -> RouteMetrics {
    locked.withLock { metrics in
      if let known = metrics.routes[template] { return known }
      let new = RouteMetrics(template)
      metrics.routes[template] = new
      return new
    }
  }

  /// Counts a request that received a problem document.
  func countProblem(_ method: Method, _ kind: ProblemKind) {
    locked.withLock { $0.problems[ProblemKey(method: method, kind: kind), default: 0] += 1 }
  }

  /// Counts a message that the parser rejected.
  func countRejection(_ rejection: Rejection) {
    locked.withLock { $0.rejections[rejection, default: 0] += 1 }
  }

  var routes: [RouteMetrics] { locked.withLock { Array($0.routes.values) } }
  var problems: [ProblemKey: Int] { locked.withLock { $0.problems } }
  var rejections: [Rejection: Int] { locked.withLock { $0.rejections } }
}

/// The event stream metrics of one event loop.
final class StreamMetrics: Sendable {
  let opened = Counter()
  /// Streams that were refused because of overload or shutdown.
  let refused = Counter()
  /// Streams that were ended because their credential was revoked or expired.
  let cancelled = Counter()
  let events = Counter()
  /// Changes that were merged into an event that was already pending.
  let coalesced = Counter()
  let open = Gauge()
  /// The bytes of long events that clients have not taken, or that are encoded for them.
  let unreadBytes = Gauge()
  /// Distinct places that have at least one subscriber.
  let places = Gauge()
  /// Long polls that are waiting for a change.
  let waits = Gauge()
}
