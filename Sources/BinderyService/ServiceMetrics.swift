import BinderyAPI
import BinderyCore
import BinderyServer
import BinderySystem
import BinderyTelemetry

/// The metrics of a service in the Prometheus text format.
struct ServiceMetrics<Root: Sendable>: Sendable {
  let api = APIMetrics()
  let server = ServerMetrics()
  private let store: Store<Root>
  /// The revision of the store when the service was created.
  private let initialRevision: Int
  private let additionalMetrics: [@Sendable (inout Exposition) -> Void]

  /// Creates the metrics of a service.
  ///
  /// - Parameter additionalMetrics: Functions that write metrics from outside the service.
  init(_ store: Store<Root>, _ additionalMetrics: [@Sendable (inout Exposition) -> Void]) {
    self.store = store
    self.additionalMetrics = additionalMetrics
    initialRevision = store.revision
  }

  /// Adds the current values of all metrics.
  func collect(_ exposition: consuming Exposition) -> Exposition {
    api.collect(into: &exposition)
    let revision = store.revision
    exposition.single("bindery_state_revision", .gauge, "The current revision of the state.", revision)
    exposition.single(
      "bindery_commits_total", .counter, "Revisions since the service started, also by other servers of the store.",
      revision - initialRevision)
    for collect in additionalMetrics { collect(&exposition) }
    server.collect(into: &exposition)
    Self.collectProcess(into: &exposition)
    return exposition
  }

  /// Writes the process metrics under the names that all Prometheus client libraries use.
  private static func collectProcess(into exposition: inout Exposition) {
    let process = ProcessMetrics()
    exposition.single(
      "process_cpu_seconds_total", .counter, "User and system CPU time in seconds.",
      process.cpuNanoseconds, digits: 9)
    exposition.single("process_resident_memory_bytes", .gauge, "Resident memory size in bytes.", process.residentBytes)
    exposition.single("process_virtual_memory_bytes", .gauge, "Virtual memory size in bytes.", process.virtualBytes)
    exposition.single("process_open_fds", .gauge, "Number of open file descriptors.", process.openDescriptors)
    exposition.single("process_max_fds", .gauge, "Maximum number of open file descriptors.", process.maximumDescriptors)
    exposition.single("process_threads", .gauge, "Number of threads of the process.", process.threads)
    exposition.single(
      "process_start_time_seconds", .gauge, "Start time of the process in seconds since 1970.",
      Int(process.startMilliseconds), digits: 3)
  }
}
