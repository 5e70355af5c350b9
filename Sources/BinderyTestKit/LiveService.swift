package import BinderyCore
package import BinderyService
import BinderySystem

/// A service on a free port of the loopback, on a thread of its own.
package final class LiveService<Root: Model>: Sendable {
  package let service: Service<Root>
  private let thread: Thread

  package init(_ root: Root, eventLoops: Int = 1, access: AccessPolicy = .local) throws {
    let service = try Service(root, listeningOn: ["127.0.0.1:0"], eventLoops: eventLoops, access: access)
    self.service = service
    thread = try Thread { try? service.run() }
  }

  package var store: Store<Root> { service.store }
  /// Host and port.
  package var address: String { service.addresses[0] }

  /// Stops the service and waits until it has ended.
  package func stop() {
    service.stop()
    thread.join()
  }
}
