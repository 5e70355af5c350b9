import BinderyHTTP
package import BinderyTelemetry
import Synchronization

/// The metrics of requests, writes and event streams, collected from all event loops.
///
/// Each event loop counts in its own ``LoopMetrics`` without contention. A scrape adds the counts of all loops. To add
/// a metric, add a counter to ``LoopMetrics`` and export it here.
package final class APIMetrics: Sendable {
  /// The lock protects the list only. It is held to append to the list and to copy it, never while counting.
  private let loops = Mutex<[LoopMetrics]>([])

  /// Creates metrics without any event loops.
  package init() {}

  /// Creates and registers the metrics of one more event loop.
  func loop() -> LoopMetrics {
    let loop = LoopMetrics()
    loops.withLock { $0.append(loop) }
    return loop
  }

  /// Writes the sums over all event loops.
  package func collect(into exposition: inout Exposition) {
    let loops = loops.withLock { $0 }
    collectRequests(of: loops, into: &exposition)
    collectErrors(of: loops, into: &exposition)
    collectStreams(of: loops, into: &exposition)
  }

  private func collectRequests(of loops: [LoopMetrics], into exposition: inout Exposition) {
    let routes = Dictionary(grouping: loops.flatMap(\.routes), by: \.template).sorted { $0.key < $1.key }
    exposition.begin(
      "bindery_http_requests_total", .counter, "Number of parsed HTTP requests that received a response.")
    for (template, metrics) in routes {
      for method in Method.allCases {
        for status in HTTPStatus.allCases {
          let count = metrics.reduce(0) { $0 + $1[method].responses(with: status) }
          guard count > 0 else { continue }
          exposition.sample(
            ["method": method.name, "route": template, "status": String(status.rawValue)], count)
        }
      }
    }
    exposition.begin(
      "bindery_http_request_duration_seconds", .histogram,
      """
      Time from the start of the event loop turn that read the request to the response. Event streams and long polls \
      are not included.
      """)
    for (template, metrics) in routes {
      for method in Method.allCases {
        var reading = Histogram.Reading(.times)
        for metrics in metrics { reading += metrics[method].durations.reading }
        if reading.count > 0 { exposition.sample(["method": method.name, "route": template], reading) }
      }
    }
    exposition.single(
      "bindery_http_requests_waiting", .gauge,
      "Number of requests that wait for the journal, a file, an endpoint or, as long polls, a change.",
      loops.reduce(0) { $0 + $1.waiting.value })
    exposition.single(
      "bindery_http_requests_abandoned_total", .counter,
      "Number of requests whose client disconnected before the response.",
      loops.reduce(0) { $0 + $1.abandoned.value })
  }

  private func collectErrors(of loops: [LoopMetrics], into exposition: inout Exposition) {
    var problems: [LoopMetrics.ProblemKey: Int] = [:]
    var rejections: [Rejection: Int] = [:]
    for loop in loops {
      problems.merge(loop.problems, uniquingKeysWith: +)
      rejections.merge(loop.rejections, uniquingKeysWith: +)
    }
    exposition.begin(
      "bindery_http_problems_total", .counter,
      "Number of parsed requests that received a problem document (RFC 9457), by problem type.")
    for method in Method.allCases {
      for kind in ProblemKind.allCases {
        guard let count = problems[LoopMetrics.ProblemKey(method: method, kind: kind)] else { continue }
        exposition.sample(["method": method.name, "type": kind.rawValue], count)
      }
    }
    exposition.begin(
      "bindery_http_rejections_total", .counter,
      "Number of requests that were rejected before routing: malformed, too large, too slow or too many, by reason.")
    for rejection in Rejection.allCases {
      if let count = rejections[rejection] { exposition.sample(["reason": rejection.rawValue], count) }
    }
    exposition.single(
      "bindery_http_writes_unchanged_total", .counter,
      "Number of successful writes that did not change the state.",
      loops.reduce(0) { $0 + $1.unchanged.value })
  }

  private func collectStreams(of loops: [LoopMetrics], into exposition: inout Exposition) {
    let sum = { (count: (StreamMetrics) -> Int) in loops.reduce(0) { $0 + count($1.streams) } }
    exposition.single("bindery_streams_open", .gauge, "Number of open event streams.", sum(\.open.value))
    exposition.single(
      "bindery_streams_opened_total", .counter, "Number of event streams that were opened.", sum(\.opened.value))
    exposition.single(
      "bindery_streams_refused_total", .counter,
      "Number of event streams that were refused because of overload or shutdown.",
      sum(\.refused.value))
    exposition.single(
      "bindery_streams_cancelled_total", .counter,
      "Number of event streams that were ended because their token was revoked or their session ended.",
      sum(\.cancelled.value))
    exposition.single(
      "bindery_stream_events_total", .counter, "Number of events that were sent, without heartbeats.",
      sum(\.events.value))
    exposition.single(
      "bindery_stream_changes_coalesced_total", .counter,
      "Number of changes that were merged into an event that had not been sent yet.",
      sum(\.coalesced.value))
    exposition.single(
      "bindery_stream_unread_bytes", .gauge,
      "Number of bytes of long events that event streams hold until their clients have read them.",
      sum(\.unreadBytes.value))
    exposition.single(
      "bindery_watched_places", .gauge,
      "Number of places that event streams and long polls watch. A place counts once per event loop.",
      sum(\.places.value))
    exposition.single(
      "bindery_long_polls_open", .gauge, "Number of long polls that are waiting for a change.", sum(\.waits.value))
  }
}
