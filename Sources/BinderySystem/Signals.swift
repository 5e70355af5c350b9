import CBinderyLinux

/// A signal that controls a server.
package enum Signal: Int32, Sendable, CaseIterable {
  case hangUp = 1
  case interrupt = 2
  case terminate = 15
}

/// Receives signals synchronously on a chosen thread, instead of in a signal handler.
package struct Signals: Sendable {
  /// Blocks the signals on this thread and on all threads that it starts later. Create it before any other thread.
  package init() {
    var set = Self.set
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    Self.blockWriteSignals()
  }

  /// Blocks SIGPIPE and SIGXFSZ on this thread and on all threads that it starts later.
  ///
  /// Writing to a closed pipe then fails with EPIPE, and writing beyond the file size limit of the process with EFBIG,
  /// instead of terminating the process (pipe(7), setrlimit(2)).
  package static func blockWriteSignals() {
    var set = sigset_t()
    _ = unsafe sigemptyset(&set)
    for signal in [SIGPIPE, SIGXFSZ] { _ = unsafe sigaddset(&set, signal) }
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for the next signal and returns it.
  package func next() -> Signal {
    var set = Self.set
    var number: Int32 = 0
    while true {
      if unsafe sigwait(&set, &number) == 0, let signal = Signal(rawValue: number) { return signal }
    }
  }

  /// Waits for the next signal and returns it; nil after a timeout.
  package func next(withinMilliseconds limit: Int64) -> Signal? {
    var set = Self.set
    var time = timespec(tv_sec: Int(limit / 1000), tv_nsec: Int(limit % 1000) * 1_000_000)
    // A signal outside the set also ends the wait early, with nil. Callers check the clock anyway.
    return Signal(rawValue: unsafe sigtimedwait(&set, nil, &time))
  }

  private static var set: sigset_t {
    var set = sigset_t()
    _ = unsafe sigemptyset(&set)
    for signal in Signal.allCases { _ = unsafe sigaddset(&set, signal.rawValue) }
    return set
  }
}
