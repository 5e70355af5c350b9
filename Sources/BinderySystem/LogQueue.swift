import CBinderyLinux
import Synchronization

/// Lines on their way to a descriptor that may be slow, stuck or closed: a thread of its own writes them, and who has
/// a line to tell never waits. What there is no room for is dropped and counted.
package final class LogQueue: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var lines = 0
    var dropped = 0
    /// The thread is writing what it has taken.
    var isWriting = false
  }

  /// Guards what waits; held only to put and to take.
  private let state = Mutex(State())
  private let filled: Wakeup
  private let emptied: Wakeup
  private let descriptor: Int32
  private let capacity: Int

  /// - Parameters:
  ///   - descriptor: that of the standard error by default; it must stay open.
  ///   - capacity: how many bytes may wait.
  package init(descriptor: Int32 = 2, capacity: Int = 1 << 20) throws(Errno) {
    self.descriptor = descriptor
    self.capacity = capacity
    filled = try Wakeup()
    emptied = try Wakeup()
    // Never joined: it ends with the process, also when it hangs in a write.
    _ = try Thread { [self] in run() }
  }

  /// Leaves a line, which has its end already, or drops it.
  package func put(_ line: [UInt8]) {
    let wasEmpty = state.withLock { state in
      guard state.bytes.count + line.count <= capacity else {
        state.dropped += 1
        return false
      }
      let wasEmpty = state.bytes.isEmpty
      state.bytes += line
      state.lines += 1
      return wasEmpty
    }
    if wasEmpty { filled.signal() }
  }

  /// How many lines were lost: there was no room, or nobody to write them to.
  package var droppedCount: Int { state.withLock { $0.dropped } }

  /// Waits until everything is written, or for so long.
  package func flush(withinMilliseconds limit: Int64) {
    guard var poll = try? Poll(capacity: 1), (try? poll.add(emptied, token: 0)) != nil else { return }
    let end = Clock.monotonicMilliseconds + limit
    while state.withLock({ $0.isWriting || !$0.bytes.isEmpty }) {
      let rest = end - Clock.monotonicMilliseconds
      guard rest > 0 else { return }
      _ = poll.wait(milliseconds: Int(rest))
    }
  }

  private func run() {
    Signals.outliveBrokenPipes()
    guard var poll = try? Poll(capacity: 1), (try? poll.add(filled, token: 0)) != nil else { return }
    while true {
      let (bytes, lines) = state.withLock { state in
        defer { (state.bytes, state.lines, state.isWriting) = ([], 0, !state.bytes.isEmpty) }
        return (state.bytes, state.lines)
      }
      guard bytes.isEmpty else {
        if !write(bytes) { state.withLock { $0.dropped += lines } }
        continue
      }
      emptied.signal()
      _ = poll.wait(milliseconds: -1)
    }
  }

  /// Writes all; false where nobody takes it any more.
  private func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      do throws(Errno) {
        sent += try Errno.check {
          unsafe bytes.withUnsafeBytes {
            unsafe CBinderyLinux.write(descriptor, $0.baseAddress! + sent, $0.count - sent)
          }
        }
      } catch .again {
        // Whoever shares the descriptor has made it one that does not block.
        var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe CBinderyLinux.poll(&waited, 1, -1)
      } catch {
        return false
      }
    }
    return true
  }
}
