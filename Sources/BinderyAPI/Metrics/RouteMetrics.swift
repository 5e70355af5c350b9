import BinderyHTTP
import BinderyTelemetry
import Synchronization

/// The metrics that one event loop collects for one route. Only that loop writes.
final class RouteMetrics: Sendable {
  /// The route template, which is the `route` label. It is the same on all event loops.
  let template: String
  private let methods: [MethodMetrics]

  init(_ template: String) {
    self.template = template
    methods = Method.allCases.map { _ in MethodMetrics() }
  }

  subscript(method: Method) -> MethodMetrics { methods[Int(method.rawValue)] }

  /// Counts a response and records the duration of its request.
  func count(_ method: Method, _ status: HTTPStatus, nanoseconds: Int) {
    methods[Int(method.rawValue)].count(status, nanoseconds: nanoseconds)
  }
}

/// The metrics that one event loop collects for one method of a route.
final class MethodMetrics: Sendable {
  let durations = Histogram(.times)
  /// The number of responses for each status, indexed by the position of the status in `HTTPStatus.allCases`.
  private let statuses = [56 of Atomic<Int>] { _ in Atomic(0) }

  /// Counts a response and records the duration of its request.
  func count(_ status: HTTPStatus, nanoseconds: Int) {
    count(status)
    durations.observe(nanoseconds)
  }

  /// Counts a response.
  func count(_ status: HTTPStatus) {
    let index = Self.index(of: status)
    // A plain load and store are enough because there is only one writer.
    statuses[index].store(statuses[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Returns the number of responses with a status.
  func responses(with status: HTTPStatus) -> Int { statuses[Self.index(of: status)].load(ordering: .relaxed) }

  /// Returns the index of a status; the two most frequent ones need no table lookup.
  private static func index(of status: HTTPStatus) -> Int {
    switch status {
    case .ok: 0
    case .notModified: notModifiedIndex
    default: indices[Int(status.rawValue) - 200]
    }
  }

  private static let notModifiedIndex = 13
  /// The index of each status code from 200 to 599.
  private static let indices: [Int] = {
    var indices = [Int](repeating: 0, count: 400)
    for (index, status) in HTTPStatus.allCases.enumerated() { indices[Int(status.rawValue) - 200] = index }
    precondition(HTTPStatus.allCases.count <= 56 && indices[104] == notModifiedIndex && indices[0] == 0)
    return indices
  }()
}
