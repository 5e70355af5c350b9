import BinderyService
import BinderySystem
import BinderyTelemetry
import Synchronization

/// A service at work on a thread of its own.
struct ServiceThread: Sendable {
  private let thread: Thread?
  private let report = Report()

  init(_ service: Service<Menu>, _ logger: Logger) {
    thread = try? Thread { [report] in report.run(service, logger) }
  }

  /// Waits for the end; false where the service could not run.
  func join() -> Bool {
    guard let thread else { return false }
    thread.join()
    return report.isFine.load(ordering: .acquiring)
  }

  private final class Report: Sendable {
    /// Written by the thread before it ends, read after it was joined.
    let isFine = Atomic<Bool>(false)

    func run(_ service: Service<Menu>, _ logger: Logger) {
      do throws(ServiceError) {
        try service.run()
        isFine.store(true, ordering: .releasing)
      } catch {
        logger.log(.error, "\(error)")
      }
    }
  }
}
