package import BinderyHTTP
package import BinderySystem
import Synchronization

/// An HTTP/1.1 server. Its event loops share only the limit of buffered bytes, and each has its own responder.
package final class Server: Sendable {
  private let limits: Limits
  private let bufferedBytes: BufferedBytes
  private let controls: [LoopControl]
  /// The listeners by loop, until the loop takes them. The loop must own them, so that they close when it stops
  /// accepting, not later.
  private let listeners: Mutex<[[Listener]]>
  /// The error of a loop that could not start.
  private let failure = Mutex<Errno?>(nil)
  private let metrics: ServerMetrics
  private let exhaustionReport: ExhaustionReport
  private let makeResponder: @Sendable (LoopContext) -> any Responder

  /// The addresses that the server listens on, with the actual ports.
  package let addresses: [SocketAddress]

  /// The bytes of incomplete requests and unsent responses, which `Limits.bufferedBytes` restricts.
  package var bufferedByteCount: Int { bufferedBytes.count }

  /// Creates a server and binds all addresses. The kernel queues connections from now on; `run` serves them.
  ///
  /// - Parameters:
  ///   - configuration: The addresses, the number of loops and the limits.
  ///   - metrics: The counters of the loops.
  ///   - onExhaustion: Called on a loop's thread, at most once a minute, if no connection can be accepted for lack of
  ///     file descriptors or kernel memory.
  ///   - makeResponder: Creates the responder of a loop. Called once per loop, on its thread.
  /// - Throws: `ListenError` for the first address that cannot be bound.
  package init(
    configuration: ServerConfiguration, metrics: ServerMetrics = ServerMetrics(),
    onExhaustion: @escaping @Sendable (Errno) -> Void = { _ in },
    makeResponder: @escaping @Sendable (LoopContext) -> any Responder
  ) throws(ListenError) {
    var listeners = [[Listener]](repeating: [], count: configuration.loopCount)
    for address in configuration.addresses {
      do throws(Errno) {
        let first = try Listener(address: address)
        listeners[0].append(first)
        for loop in 1..<max(1, configuration.loopCount) {
          // The kernel distributes connections among the listeners of a port. A Unix socket has only one listener.
          let listener = if case .unix = address { first } else { try first.sibling() }
          listeners[loop].append(listener)
        }
      } catch {
        throw ListenError(address: address, errno: error)
      }
    }
    do throws(Errno) {
      controls = try (0..<configuration.loopCount).map { index throws(Errno) in try LoopControl(index: index) }
    } catch { throw ListenError(address: configuration.addresses[0], errno: error) }
    bufferedBytes = BufferedBytes(of: controls.map(\.handle))
    limits = configuration.limits
    self.metrics = metrics
    exhaustionReport = ExhaustionReport(onExhaustion)
    addresses = listeners[0].map(\.address)
    self.listeners = Mutex(listeners)
    self.makeResponder = makeResponder
  }

  /// Runs the server until `stop` was called and all exchanges have ended, or `Limits.drainMilliseconds` have passed.
  ///
  /// - Throws: The error of creating a thread or an epoll instance.
  package func run() throws(Errno) {
    var threads: [Thread] = []
    stopOnFailure { () throws(Errno) in
      for index in 1..<max(1, controls.count) {
        threads.append(try Thread { [self] in stopOnFailure { () throws(Errno) in try runLoop(index) } })
      }
    }
    stopOnFailure { () throws(Errno) in try runLoop(0) }
    for thread in threads { thread.join() }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// Stops the whole server if a loop cannot start: its share of the connections would never be served.
  private func stopOnFailure(_ start: () throws(Errno) -> Void) {
    do throws(Errno) { try start() } catch {
      failure.withLock { $0 = error }
      stop()
    }
  }

  private func runLoop(_ index: Int) throws(Errno) {
    let own = listeners.withLock { listeners in
      defer { listeners[index] = [] }
      return listeners[index]
    }
    var loop = try EventLoop(
      control: controls[index], listeners: own, limits: limits, bufferedBytes: bufferedBytes,
      metrics: metrics.loop(), exhaustionReport: exhaustionReport, makeResponder: makeResponder)
    loop.run()
  }

  /// Starts a graceful stop. May be called from any thread, and more than once.
  package func stop() {
    for control in controls { control.stop() }
  }
}

/// The configuration of a server.
package struct ServerConfiguration: Sendable {
  /// The addresses to listen on. Port 0 lets the kernel choose a port, which all loops share.
  package var addresses: [SocketAddress]
  /// The number of event loops, each on its own thread.
  package var loopCount: Int
  package var limits: Limits

  package init(addresses: [SocketAddress], loopCount: Int = 1, limits: Limits = Limits()) {
    self.addresses = addresses
    self.loopCount = max(1, loopCount)
    self.limits = limits
  }
}

/// A failure to listen on an address.
package struct ListenError: Error, CustomStringConvertible {
  package let address: SocketAddress
  package let errno: Errno

  package var description: String {
    let reason =
      switch (errno, address) {
      case (.addressInUse, .internet):
        "\(errno). Stop the program that listens there, or listen at another address (on the command line: --listen)"
      case (.addressInUse, .unix): "\(errno). Stop the program that listens there, remove the file, or use another path"
      default: "\(errno)"
      }
    return "cannot listen on \(address): \(reason)"
  }
}
