import BinderyHTTP
import BinderySystem
import Synchronization

/// The thread-safe part of an event loop, which other threads use to wake and stop it.
final class LoopControl: Sendable {
  let index: Int
  let wakeup: Wakeup
  let handle: LoopHandle
  private let stopping = Atomic<Bool>(false)

  init(index: Int) throws(Errno) {
    self.index = index
    let wakeup = try Wakeup()
    self.wakeup = wakeup
    handle = LoopHandle { wakeup.signal() }
  }

  /// Indicates whether `stop()` was called.
  var isStopping: Bool { stopping.load(ordering: .acquiring) }

  /// Requests a graceful stop.
  func stop() {
    stopping.store(true, ordering: .releasing)
    // Signaled directly: `handle.wake()` sends no signal if a wake request is already pending.
    wakeup.signal()
  }
}

/// The number of bytes that all event loops of a server buffer.
final class BufferedBytes: Sendable {
  private let bytes = Atomic(0)

  var count: Int { bytes.load(ordering: .relaxed) }

  func add(_ difference: Int) { bytes.add(difference, ordering: .relaxed) }
}
