import BinderyAPI
import BinderyCore
import BinderyServer
import BinderySystem
import BinderyTelemetry

/// What a service tells Prometheus.
struct ServiceMetrics<Root: Model>: Sendable {
  let api = APIMetrics()
  let server = ServerMetrics()
  private let store: Store<Root>
  /// Where the store stood when the service was made.
  private let firstRevision: Int
  private let more: [@Sendable (inout Exposition) -> Void]

  /// - Parameter more: tells what the service itself does not know.
  init(_ store: Store<Root>, _ more: [@Sendable (inout Exposition) -> Void]) {
    self.store = store
    self.more = more
    firstRevision = store.revision
  }

  /// All of it, as it is now.
  var exposition: [UInt8] {
    var exposition = Exposition()
    api.collect(into: &exposition)
    let revision = store.revision
    exposition.single("bindery_state_revision", .gauge, "The revision that readers see.", revision)
    exposition.single(
      "bindery_commits_total", .counter, "Commits that changed the state since the service began.",
      revision - firstRevision)
    for tell in more { tell(&exposition) }
    server.collect(into: &exposition)
    Self.collectProcess(into: &exposition)
    return exposition.bytes
  }

  /// By the names that all client libraries of Prometheus use.
  private static func collectProcess(into exposition: inout Exposition) {
    let process = ProcessMetrics()
    exposition.single(
      "process_cpu_seconds_total", .counter, "Time on processors, in user space and in the kernel.",
      process.processorNanoseconds, digits: 9)
    exposition.single("process_resident_memory_bytes", .gauge, "Memory that is resident.", process.residentBytes)
    exposition.single("process_virtual_memory_bytes", .gauge, "Address space that is in use.", process.virtualBytes)
    exposition.single("process_open_fds", .gauge, "Open file descriptors.", process.openDescriptors)
    exposition.single("process_max_fds", .gauge, "How many file descriptors may be open.", process.mostDescriptors)
    exposition.single("process_threads", .gauge, "Threads of the process.", process.threads)
    exposition.single(
      "process_start_time_seconds", .gauge, "When the process began, in seconds since 1970.",
      Int(process.startMilliseconds), digits: 3)
  }
}
