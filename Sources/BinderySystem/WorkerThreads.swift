import CBinderyLinux
import Synchronization

/// Threads that run closures which may block, in the order in which they were added.
///
/// They end when this object is released, after the closures that were added before.
package final class WorkerThreads: Sendable {
  private let queue: WorkQueue

  /// Starts threads.
  package init(count: Int) throws(Errno) {
    queue = try WorkQueue()
    for _ in 0..<count { try Thread.detach { [queue] in queue.run() } }
  }

  deinit { queue.end() }

  /// Runs a closure on one of the threads.
  package func perform(_ work: @escaping @Sendable () -> Void) { queue.add(work) }
}

/// The closures that wait for a thread.
private final class WorkQueue: Sendable {
  /// An entry without a closure ends all threads.
  private typealias Work = (@Sendable () -> Void)?

  /// Guards the entries; held only to add or remove one.
  private let entries = Mutex<[Work]>([])
  /// Counts the entries (EFD_SEMAPHORE). Reading waits for an entry.
  private let count: Descriptor

  init() throws(Errno) {
    let flags = Int32(EFD_SEMAPHORE | EFD_CLOEXEC)
    count = Descriptor(owning: try Errno.check { eventfd(0, flags) })
  }

  func add(_ work: @escaping @Sendable () -> Void) { append(work) }

  func end() { append(nil) }

  private func append(_ work: Work) {
    entries.withLock { $0.append(work) }
    _ = eventfd_write(count.number, 1)
  }

  /// Runs closures until the end.
  func run() {
    while true {
      var value = eventfd_t()
      let number = count.number
      guard (try? Errno.check { unsafe eventfd_read(number, &value) }) != nil else { return }
      guard let work = entries.withLock({ $0.removeFirst() }) else { return end() }
      work()
    }
  }
}
