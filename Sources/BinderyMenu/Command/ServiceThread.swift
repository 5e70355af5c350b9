import BinderyService
import BinderySystem
import BinderyTelemetry
import Synchronization

/// A thread that runs a service.
struct ServiceThread: Sendable {
  private let thread: Thread?
  private let result = RunResult()

  /// Starts the service.
  init(_ service: Service<Menu>, _ logger: Logger) {
    thread = try? Thread { [result] in result.run(service, logger) }
  }

  /// Waits until the service has stopped.
  ///
  /// - Returns: False if the service or its thread could not run.
  func join() -> Bool {
    guard let thread else { return false }
    thread.join()
    return result.succeeded.load(ordering: .acquiring)
  }

  private final class RunResult: Sendable {
    /// Written by the thread before it ends, read after it was joined.
    let succeeded = Atomic<Bool>(false)

    func run(_ service: Service<Menu>, _ logger: Logger) {
      do throws(ServiceError) {
        try service.run()
        succeeded.store(true, ordering: .releasing)
      } catch {
        logger.log(.error, "\(error)")
      }
    }
  }
}
