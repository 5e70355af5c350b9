package import BinderyHTTP
package import BinderySystem
import Synchronization

/// An HTTP/1.1 server: event loops that share nothing, each with a responder of its own.
package final class Server: Sendable {
  private let limits: Limits
  private let controls: [LoopControl]
  /// For each loop its listeners, until it takes them: they are to be closed when the loop has drained, not later.
  private let listeners: Mutex<[[Listener]]>
  /// Why a loop could not begin.
  private let failure = Mutex<Errno?>(nil)
  private let metrics: ServerMetrics
  private let makeResponder: @Sendable (LoopContext) -> any Responder

  /// Where the server listens, with the ports that the kernel has chosen.
  package let addresses: [SocketAddress]

  /// Binds all addresses, so that connections wait from now on; they are served by `run`.
  ///
  /// - Parameters:
  ///   - figures: where the loops count.
  ///   - makeResponder: called once for each loop, on its thread.
  /// - Throws: for the first address that cannot be listened on.
  package init(
    configuration: ServerConfiguration, metrics: ServerMetrics = ServerMetrics(),
    makeResponder: @escaping @Sendable (LoopContext) -> any Responder
  ) throws(ListenError) {
    var listeners = [[Listener]](repeating: [], count: configuration.loopCount)
    var controls: [LoopControl] = []
    for address in configuration.addresses {
      do throws(Errno) {
        let first = try Listener(address: address, sharesPort: configuration.loopCount > 1)
        listeners[0].append(first)
        for loop in 1..<max(1, configuration.loopCount) {
          // The kernel spreads the connections over all listeners of a port; of a Unix socket there is one.
          if case .unix = address {
            listeners[loop].append(first)
          } else {
            listeners[loop].append(try Listener(address: first.address, sharesPort: true))
          }
        }
      } catch {
        throw ListenError(address: address, errno: error)
      }
    }
    for index in 0..<configuration.loopCount {
      do throws(Errno) {
        controls.append(try LoopControl(index: index))
      } catch {
        throw ListenError(address: configuration.addresses[0], errno: error)
      }
    }
    limits = configuration.limits
    self.metrics = metrics
    addresses = listeners[0].map(\.address)
    self.controls = controls
    self.listeners = Mutex(listeners)
    self.makeResponder = makeResponder
  }

  /// The ports of the addresses; 0 for a Unix socket.
  package var ports: [UInt16] {
    addresses.map { if case .internet(_, let port) = $0 { port } else { 0 } }
  }

  /// Serves until `stop` was called and everything in flight has ended, or its time is up.
  ///
  /// - Throws: when the kernel has no thread or no poll to give.
  package func run() throws(Errno) {
    var threads: [Thread] = []
    do throws(Errno) {
      for index in 1..<max(1, controls.count) {
        threads.append(try Thread { [self] in runOrStop(index) })
      }
    } catch {
      failure.withLock { $0 = error }
      stop()
    }
    runOrStop(0)
    for thread in threads { thread.join() }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// A loop that cannot begin stops the others: its share of the connections would wait for ever.
  private func runOrStop(_ index: Int) {
    do throws(Errno) {
      try runLoop(index)
    } catch {
      failure.withLock { $0 = error }
      stop()
    }
  }

  private func runLoop(_ index: Int) throws(Errno) {
    var loop = try EventLoop(
      control: controls[index], listeners: takeListeners(index), limits: limits, metrics: metrics.loop(),
      makeResponder: makeResponder)
    loop.run()
  }

  private func takeListeners(_ index: Int) -> [Listener] {
    listeners.withLock { listeners in
      var taken: [Listener] = []
      swap(&taken, &listeners[index])
      return taken
    }
  }

  /// Begins a graceful stop; may be called from any thread, and again.
  package func stop() {
    for control in controls { control.stop() }
  }
}
