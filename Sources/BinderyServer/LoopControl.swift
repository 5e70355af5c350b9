import BinderyHTTP
import BinderySystem
import Synchronization

/// What other threads hold of an event loop.
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

  /// Whether the loop has been asked to end.
  var isStopping: Bool { stopping.load(ordering: .acquiring) }

  /// Asks the loop to end gracefully.
  func stop() {
    stopping.store(true, ordering: .releasing)
    // Apart from the handle, whose wake may be pending already.
    wakeup.signal()
  }
}
