import BinderyHTTP
package import BinderyTelemetry
import Synchronization

/// What all loops have counted of requests, writes and streams.
package final class APIMetrics: Sendable {
  /// Guards the list; held only to add a loop and to go through it.
  private let loops = Mutex<[LoopMetrics]>([])

  package init() {}

  /// What one more loop counts in.
  func loop() -> LoopMetrics {
    let loop = LoopMetrics()
    loops.withLock { $0.append(loop) }
    return loop
  }

  /// Tells what was counted, the loops' numbers added up.
  package func collect(into exposition: inout Exposition) {
    let loops = loops.withLock { $0 }
    collectRequests(of: loops, into: &exposition)
    collectRefusals(of: loops, into: &exposition)
    collectStreams(of: loops, into: &exposition)
  }

  private func collectRequests(of loops: [LoopMetrics], into exposition: inout Exposition) {
    let routes = Dictionary(grouping: loops.flatMap(\.routes), by: \.template).sorted { $0.key < $1.key }
    exposition.begin("bindery_http_requests_total", .counter, "Requests that were answered.")
    for (template, metrics) in routes {
      for method in Method.allCases {
        for status in HTTPStatus.allCases {
          let count = metrics.reduce(0) { $0 + $1[method].answers(with: status) }
          guard count > 0 else { continue }
          exposition.sample(
            ["method": method.name, "route": template, "status": String(status.rawValue)], count)
        }
      }
    }
    exposition.begin(
      "bindery_http_request_duration_seconds", .histogram,
      """
      From the turn of the event loop that took a request up to its answer. Event streams and long polls, which take \
      as long as they are asked to, are left out.
      """)
    for (template, metrics) in routes {
      for method in Method.allCases {
        var reading = Histogram.Reading(.times)
        for metrics in metrics { reading += metrics[method].durations.reading }
        if reading.count > 0 { exposition.sample(["method": method.name, "route": template], reading) }
      }
    }
    exposition.single(
      "bindery_http_requests_waiting", .gauge, "Requests that wait: for the journal, or for a change.",
      loops.reduce(0) { $0 + $1.waiting.value })
    exposition.single(
      "bindery_http_requests_abandoned_total", .counter, "Requests whose peers went away before the answer.",
      loops.reduce(0) { $0 + $1.abandoned.value })
  }

  private func collectRefusals(of loops: [LoopMetrics], into exposition: inout Exposition) {
    var refusals: [LoopMetrics.RefusalCount: Int] = [:]
    var rejections: [Rejection: Int] = [:]
    for loop in loops {
      refusals.merge(loop.refusals, uniquingKeysWith: +)
      rejections.merge(loop.rejections, uniquingKeysWith: +)
    }
    exposition.begin(
      "bindery_http_problems_total", .counter, "Requests that were answered with a problem, by its type.")
    for method in Method.allCases {
      for kind in ProblemKind.allCases {
        guard let count = refusals[LoopMetrics.RefusalCount(method: method, kind: kind)] else { continue }
        exposition.sample(["method": method.name, "type": kind.rawValue], count)
      }
    }
    exposition.begin(
      "bindery_http_rejections_total", .counter, "Messages that were no requests, by what the parser found wrong.")
    for rejection in Rejection.allCases {
      if let count = rejections[rejection] { exposition.sample(["reason": rejection.rawValue], count) }
    }
    exposition.single(
      "bindery_http_writes_unchanged_total", .counter, "Writes that asked for what was there already.",
      loops.reduce(0) { $0 + $1.unchanged.value })
  }

  private func collectStreams(of loops: [LoopMetrics], into exposition: inout Exposition) {
    let sum = { (count: (StreamMetrics) -> Int) in loops.reduce(0) { $0 + count($1.streams) } }
    exposition.single("bindery_streams_open", .gauge, "Event streams that are open.", sum(\.open.value))
    exposition.single("bindery_streams_opened_total", .counter, "Event streams that were opened.", sum(\.opened.value))
    exposition.single(
      "bindery_streams_refused_total", .counter, "Event streams that were told to come back later.",
      sum(\.refused.value))
    exposition.single(
      "bindery_streams_cancelled_total", .counter, "Event streams that ended because their peers may not listen.",
      sum(\.cancelled.value))
    exposition.single(
      "bindery_stream_events_total", .counter, "Events that were sent, heartbeats left out.", sum(\.events.value))
    exposition.single(
      "bindery_stream_changes_coalesced_total", .counter,
      "Changes that came before an earlier one had been sent, and went with it.", sum(\.coalesced.value))
    exposition.single(
      "bindery_watched_places", .gauge, "Places that streams and long polls watch, counted once for each event loop.",
      sum(\.places.value))
    exposition.single("bindery_long_polls_open", .gauge, "Requests that wait for a change.", sum(\.waits.value))
  }
}
