import BinderyHTTP
import BinderyTelemetry
import Synchronization

/// What one loop has counted of the requests for one route; only that loop writes.
final class RouteMetrics: Sendable {
  /// The route as all loops call it.
  let template: String
  private let methods: [MethodMetrics]

  init(_ template: String) {
    self.template = template
    methods = Method.allCases.map { _ in MethodMetrics() }
  }

  subscript(method: Method) -> MethodMetrics { methods[Int(method.rawValue)] }

  /// Counts a request that was answered, after so many nanoseconds.
  func count(_ method: Method, _ status: HTTPStatus, nanoseconds: Int) {
    let metrics = methods[Int(method.rawValue)]
    metrics.count(status)
    metrics.durations.observe(nanoseconds)
  }
}

/// What one loop has counted of one method of a route.
final class MethodMetrics: Sendable {
  let durations = Histogram(.times)
  /// By the place of the status among all.
  private let statuses = [40 of Atomic<Int>] { _ in Atomic(0) }

  /// Counts a request that was answered.
  func count(_ status: HTTPStatus) {
    let place = Self.place(of: status)
    statuses[place].store(statuses[place].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// How many requests were answered with a status.
  func answers(with status: HTTPStatus) -> Int { statuses[Self.place(of: status)].load(ordering: .relaxed) }

  /// Found without a search for what nearly everybody gets.
  private static func place(of status: HTTPStatus) -> Int {
    switch status {
    case .ok: 0
    case .notModified: notModified
    default: places[Int(status.rawValue) - 200]
    }
  }

  private static let notModified = 3
  /// By code, from 200 to 599.
  private static let places: [Int] = {
    var places = [Int](repeating: 0, count: 400)
    for (place, status) in HTTPStatus.allCases.enumerated() { places[Int(status.rawValue) - 200] = place }
    precondition(HTTPStatus.allCases.count <= 40 && places[104] == notModified && places[0] == 0)
    return places
  }()
}
