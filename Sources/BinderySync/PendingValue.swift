import BinderySystem
import Synchronization

/// A value that one thread waits for and another one sets.
final class PendingValue<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let wakeup: Wakeup
  private let poll: Mutex<Poll>

  init() throws(Errno) {
    wakeup = try Wakeup()
    let poll = try Poll(capacity: 1)
    try poll.add(wakeup, token: 0)
    self.poll = Mutex(poll)
  }

  func set(_ new: Value) {
    value.withLock { $0 = new }
    wakeup.signal()
  }

  /// Waits until the value is set.
  func wait() -> Value {
    while true {
      if let value = value.withLock({ $0 }) { return value }
      _ = poll.withLock { $0.wait(milliseconds: -1) }
    }
  }
}
