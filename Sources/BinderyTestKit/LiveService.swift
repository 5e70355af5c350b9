package import BinderyCore
package import BinderyService
import BinderySystem

/// A running service on a free port of the loopback interface, with its own thread.
package final class LiveService<Root: Sendable>: Sendable {
  package let service: Service<Root>
  private let thread: Thread

  /// Starts a service.
  ///
  /// - Parameter address: The host and port, such as those of a service that has stopped.
  package init(
    _ root: Root, eventLoops: Int = 1, access: AccessPolicy = .local, files: [WebFile] = [],
    at address: String = "127.0.0.1:0"
  ) throws where Root: StateModel {
    var configuration = ServiceConfiguration<Root>()
    configuration.files = files
    configuration.eventLoops = eventLoops
    let service = try Service(
      initial: root, listeningOn: [address], access: access, configuration: configuration)
    self.service = service
    thread = try Thread { try? service.runBlocking() }
  }

  /// The store of the service.
  package var store: Store<Root> { service.store }
  /// Host and port of the service.
  package var address: String { service.addresses[0] }

  /// Stops the service and waits until its thread has ended.
  package func stop() {
    service.stop()
    thread.join()
  }
}
