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

  /// Whether `stop()` was called.
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
  /// The bytes of one connection, or of all.
  struct Amount: Equatable {
    /// The bytes of an incomplete head, which needs no permission.
    var heads = 0
    /// The bytes of an incomplete request whose head has arrived, and whose body is small so far.
    var small = 0
    /// The bytes of an incomplete request whose body is large. The head of most of them was authorized.
    var large = 0
    var unsent = 0
  }

  private let loops: [LoopHandle]
  private let heads = Atomic(0)
  private let small = Atomic(0)
  private let large = Atomic(0)
  private let unsent = Atomic(0)

  init(of loops: [LoopHandle]) { self.loops = loops }

  /// Wakes all loops, so that each disconnects peers that do not read.
  func reportShortage() { for loop in loops { loop.wake() } }

  var amount: Amount {
    Amount(
      heads: heads.load(ordering: .relaxed), small: small.load(ordering: .relaxed),
      large: large.load(ordering: .relaxed), unsent: unsent.load(ordering: .relaxed))
  }

  var count: Int {
    let amount = amount
    return amount.heads + amount.small + amount.large + amount.unsent
  }

  func replace(_ old: Amount, by new: Amount) {
    if new.heads != old.heads { heads.add(new.heads - old.heads, ordering: .relaxed) }
    if new.small != old.small { small.add(new.small - old.small, ordering: .relaxed) }
    if new.large != old.large { large.add(new.large - old.large, ordering: .relaxed) }
    if new.unsent != old.unsent { unsent.add(new.unsent - old.unsent, ordering: .relaxed) }
  }
}
