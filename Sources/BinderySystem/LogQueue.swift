import Synchronization

/// An asynchronous writer of log lines to a file descriptor that may be slow, blocked or closed.
///
/// A dedicated thread writes the lines, so callers never wait. Lines that exceed the capacity are dropped and counted.
package final class LogQueue: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var lines = 0
    var dropped = 0
    /// Whether the thread is writing lines that it has taken from the queue.
    var isWriting = false
  }

  /// Guards the queued lines. Held only to add and to take lines, never while writing.
  private let state = Mutex(State())
  private let filled: Wakeup
  private let emptied: Wakeup
  private let descriptor: Int32
  private let capacity: Int

  /// Creates a queue and starts its thread.
  ///
  /// - Parameters:
  ///   - descriptor: The file descriptor to write to, standard error by default. It must stay open.
  ///   - capacity: The maximum number of queued bytes.
  /// - Throws: The error of creating the thread or an eventfd.
  package init(descriptor: Int32 = 2, capacity: Int = 1 << 20) throws(Errno) {
    self.descriptor = descriptor
    self.capacity = capacity
    filled = try Wakeup()
    emptied = try Wakeup()
    // Never joined: the thread ends with the process, even while it is blocked in a write.
    _ = try Thread { [self] in run() }
  }

  /// Adds a line, which must end in a newline; drops it if the queue is full.
  package func enqueue(_ line: [UInt8]) {
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

  /// The number of lines lost because the queue was full or the descriptor was closed.
  package var droppedCount: Int { state.withLock { $0.dropped } }

  /// Waits until all lines are written, or until a timeout.
  package func flush(withinMilliseconds limit: Int64) {
    guard var poll = try? Poll(capacity: 1), (try? poll.add(emptied, token: 0)) != nil else { return }
    let end = Clock.monotonicMilliseconds + limit
    while state.withLock({ $0.isWriting || !$0.bytes.isEmpty }) {
      let remaining = end - Clock.monotonicMilliseconds
      guard remaining > 0 else { return }
      _ = poll.wait(milliseconds: Int(remaining))
    }
  }

  private func run() {
    guard var poll = try? Poll(capacity: 1), (try? poll.add(filled, token: 0)) != nil else { return }
    while true {
      let (bytes, lines) = state.withLock { state in
        defer { (state.bytes, state.lines, state.isWriting) = ([], 0, !state.bytes.isEmpty) }
        return (state.bytes, state.lines)
      }
      guard bytes.isEmpty else {
        if (try? File.writeAll(bytes, to: descriptor)) == nil { state.withLock { $0.dropped += lines } }
        continue
      }
      emptied.signal()
      _ = poll.wait(milliseconds: -1)
    }
  }
}
