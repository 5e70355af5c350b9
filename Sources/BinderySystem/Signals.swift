import CBinderyLinux

/// The signals that ask a server for something.
package enum Signal: Int32, Sendable, CaseIterable {
  case hangUp = 1
  case interrupt = 2
  case terminate = 15
}

/// Takes signals on a thread of one's choice instead of wherever they strike.
package struct Signals: Sendable {
  /// Holds the signals back from this thread and from all that it starts: to be made before any other thread.
  package init() {
    var set = Self.set
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    Self.outliveBrokenPipes()
  }

  /// Makes a write of this thread, and of those that it starts, to a pipe that was closed an error of the call and not
  /// the end of the process (pipe(7)): the signal waits for ever.
  static func outliveBrokenPipes() {
    var set = sigset_t()
    _ = unsafe sigemptyset(&set)
    _ = unsafe sigaddset(&set, SIGPIPE)
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for the next signal.
  package func next() -> Signal {
    var set = Self.set
    var number: Int32 = 0
    while true {
      if unsafe sigwait(&set, &number) == 0, let signal = Signal(rawValue: number) { return signal }
    }
  }

  /// Waits for the next signal, or for so long; nil then.
  package func next(withinMilliseconds limit: Int64) -> Signal? {
    var set = Self.set
    var time = timespec(tv_sec: Int(limit / 1000), tv_nsec: Int(limit % 1000) * 1_000_000)
    // A signal that is not in the set ends the wait early: who waits looks at the clock anyway.
    return Signal(rawValue: unsafe sigtimedwait(&set, nil, &time))
  }

  private static var set: sigset_t {
    var set = sigset_t()
    _ = unsafe sigemptyset(&set)
    for signal in Signal.allCases { _ = unsafe sigaddset(&set, signal.rawValue) }
    return set
  }
}
