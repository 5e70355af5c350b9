import BinderyHTTP
import BinderyTelemetry
import Synchronization

/// What one loop has counted; only that loop writes, and whoever scrapes reads.
final class LoopMetrics: Sendable {
  /// A kind of problem that some method has met.
  struct RefusalCount: Hashable, Sendable {
    let method: Method
    let kind: ProblemKind
  }

  private struct Rare {
    var routes: [String: RouteMetrics] = [:]
    var refusals: [RefusalCount: Int] = [:]
    var rejections: [Rejection: Int] = [:]
  }

  /// Guards what is seldom written; nobody but a scrape ever waits for it.
  private let rare = Mutex(Rare())
  /// Writes that asked for what was there already.
  let unchanged = Counter()
  /// Requests whose peers went away before the answer.
  let abandoned = Counter()
  /// Requests that wait for their answers.
  let waiting = Gauge()
  let streams = StreamMetrics()

  /// What is counted of a route; who needs it again remembers it.
  func route(_ template: String) -> RouteMetrics {
    rare.withLock { rare in
      if let known = rare.routes[template] { return known }
      let new = RouteMetrics(template)
      rare.routes[template] = new
      return new
    }
  }

  func refused(_ method: Method, _ kind: ProblemKind) {
    rare.withLock { $0.refusals[RefusalCount(method: method, kind: kind), default: 0] += 1 }
  }

  func refused(_ rejection: Rejection) { rare.withLock { $0.rejections[rejection, default: 0] += 1 } }

  var routes: [RouteMetrics] { rare.withLock { Array($0.routes.values) } }
  var refusals: [RefusalCount: Int] { rare.withLock { $0.refusals } }
  var rejections: [Rejection: Int] { rare.withLock { $0.rejections } }
}

/// What one loop has counted of its event streams.
final class StreamMetrics: Sendable {
  let opened = Counter()
  /// Turned away, to come back later.
  let refused = Counter()
  /// Ended because their peers may not listen any longer.
  let cancelled = Counter()
  let events = Counter()
  /// Changes that went into an event together with an earlier one.
  let coalesced = Counter()
  let open = Gauge()
  /// Places that somebody watches, each counted once.
  let places = Gauge()
  /// Requests that wait for a change.
  let waits = Gauge()
}
