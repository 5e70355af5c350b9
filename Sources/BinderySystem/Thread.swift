import CBinderyLinux

/// A POSIX thread. It must be joined, unless it runs until the process ends.
package struct Thread: Sendable {
  private let handle: pthread_t

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread that runs a closure once. Failed writes do not raise signals on it.
  package init(_ run: @escaping @Sendable () -> Void) throws(Errno) {
    var handle = pthread_t()
    let body = unsafe Unmanaged.passRetained(Body(run))
    let result = unsafe pthread_create(
      &handle, nil,
      { argument in
        SignalWatcher.changeMask(SIG_BLOCK, [SIGPIPE, SIGXFSZ])
        unsafe Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    guard result == 0 else {
      unsafe body.release()
      throw Errno(rawValue: result)
    }
    self.handle = handle
  }

  /// Starts a thread that runs a closure once and is not joined.
  package static func detach(_ run: @escaping @Sendable () -> Void) throws(Errno) {
    _ = pthread_detach(try Thread(run).handle)
  }

  /// Yields the processor to other threads (sched_yield(2)).
  package static func yield() { _ = sched_yield() }

  /// Suspends this thread (nanosleep(2)).
  package static func sleep(milliseconds: Int) {
    var time = timespec(tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
    _ = unsafe nanosleep(&time, nil)
  }

  /// Waits until the thread has ended.
  package func join() {
    _ = pthread_join(handle, nil)
  }
}
