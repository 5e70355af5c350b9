package import Menu
package import Serving
import Sockets
import Synchronization

/// A service at work on a thread of its own.
package struct ServiceThread: Sendable {
  private let thread: Thread?
  private let report = Report()

  package init(_ service: Service<Menu>) {
    thread = try? Thread { [report] in report.run(service) }
  }

  /// Waits for the end; false where the service could not run.
  package func join() -> Bool {
    guard let thread else { return false }
    thread.join()
    return report.isFine.load(ordering: .acquiring)
  }

  private final class Report: Sendable {
    /// Written by the thread before it ends, read after it was joined.
    let isFine = Atomic<Bool>(false)

    func run(_ service: Service<Menu>) {
      do throws(ServiceError) {
        try service.run()
        isFine.store(true, ordering: .releasing)
      } catch {
        StandardError.print("bindery: \(error)")
      }
    }
  }
}
