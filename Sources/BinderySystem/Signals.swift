import CBinderyLinux
import Synchronization

/// A signal that controls a server.
package enum Signal: Int32, Sendable, CaseIterable {
  case hangUp = 1
  case interrupt = 2
  case terminate = 15
}

/// Calls a closure when the process receives one of some signals, on a thread of its own.
///
/// It works in programs that already have threads, because it does not depend on their signal masks: a handler
/// (sigaction(2)) records the signal and wakes the thread. Without watchers the previous actions apply again.
package final class SignalWatcher: Sendable {
  private let id: Int

  /// Begins to watch.
  ///
  /// - Parameter onSignal: Called on a thread that all watchers share; it must not block.
  package init(_ signals: Set<Signal>, _ onSignal: @escaping @Sendable (Signal) -> Void) throws(Errno) {
    id = try SignalRegistry.shared.add(signals, onSignal)
  }

  /// Stops watching. A call of the closure that has already begun may still be running.
  package func cancel() { SignalRegistry.shared.remove(id) }
}

extension SignalWatcher {
  /// Ignores SIGPIPE and SIGXFSZ in the whole process.
  ///
  /// Writing to a closed pipe then fails with EPIPE, and writing beyond the file size limit of the process with EFBIG,
  /// instead of terminating the process (pipe(7), setrlimit(2)).
  package static func ignoreWriteSignals() {
    for signal in [SIGPIPE, SIGXFSZ] { bindery_ignore_signal(signal) }
  }

  /// Blocks or unblocks signals on this thread and on all threads that it starts later (pthread_sigmask(3)).
  static func changeMask(_ how: Int32, _ signals: [Int32]) {
    var set = sigset_t()
    _ = unsafe sigemptyset(&set)
    for signal in signals { _ = unsafe sigaddset(&set, signal) }
    _ = unsafe pthread_sigmask(how, &set, nil)
  }
}

/// The signals that have arrived and were not delivered yet. Written by the signal handler.
private enum ArrivedSignals {
  /// One bit per signal number.
  static let bits = Atomic<UInt64>(0)
  /// The eventfd that wakes the thread, which is never closed. A handler may use neither locks nor references.
  static let descriptor = Atomic<Int32>(-1)
}

/// All watchers of the process.
private final class SignalRegistry: Sendable {
  static let shared = SignalRegistry()

  private struct Watcher {
    let signals: Set<Signal>
    let onSignal: @Sendable (Signal) -> Void
  }

  private struct State {
    var watchers: [Int: Watcher] = [:]
    var lastID = 0
    /// The actions that applied before the first watcher of each signal.
    var previous: [Signal: sigaction] = [:]
    var hasThread = false
  }

  /// Guards the watchers; held only to change or copy them.
  private let state = Mutex(State())

  func add(_ signals: Set<Signal>, _ onSignal: @escaping @Sendable (Signal) -> Void) throws(Errno) -> Int {
    try state.withLock { state throws(Errno) in
      if !state.hasThread { try Self.startThread() }
      state.hasThread = true
      state.lastID += 1
      state.watchers[state.lastID] = Watcher(signals: signals, onSignal: onSignal)
      for signal in signals where state.previous[signal] == nil { state.previous[signal] = Self.install(signal) }
      return state.lastID
    }
  }

  func remove(_ id: Int) {
    // The watcher is returned, so that what its closure captures is not released under the lock.
    _ = state.withLock { state in
      guard let removed = state.watchers.removeValue(forKey: id) else { return nil as Watcher? }
      for signal in removed.signals where !state.watchers.values.contains(where: { $0.signals.contains(signal) }) {
        if var action = state.previous.removeValue(forKey: signal) {
          _ = unsafe sigaction(signal.rawValue, &action, nil)
        }
      }
      return removed
    }
  }

  private static func install(_ signal: Signal) -> sigaction {
    var (action, previous) = (sigaction(), sigaction())
    unsafe action.__sigaction_handler.sa_handler = { number in
      let error = unsafe __errno_location().pointee
      ArrivedSignals.bits.bitwiseOr(1 << UInt64(number), ordering: .sequentiallyConsistent)
      _ = eventfd_write(ArrivedSignals.descriptor.load(ordering: .sequentiallyConsistent), 1)
      unsafe __errno_location().pointee = error
    }
    action.sa_flags = SA_RESTART
    _ = unsafe sigaction(signal.rawValue, &action, &previous)
    return previous
  }

  /// Starts the thread, which runs until the process ends.
  private static func startThread() throws(Errno) {
    let descriptor = try Errno.check { eventfd(0, Int32(EFD_CLOEXEC)) }
    ArrivedSignals.descriptor.store(descriptor, ordering: .sequentiallyConsistent)
    _ = ArrivedSignals.bits.load(ordering: .relaxed)
    _ = try Thread {
      // The thread may have inherited a mask with these signals, and so may all others.
      SignalWatcher.changeMask(SIG_UNBLOCK, Signal.allCases.map(\.rawValue))
      SignalRegistry.shared.deliver(wokenBy: descriptor)
    }
  }

  private func deliver(wokenBy descriptor: Int32) {
    while true {
      var count = eventfd_t()
      _ = unsafe eventfd_read(descriptor, &count)
      let bits = ArrivedSignals.bits.exchange(0, ordering: .sequentiallyConsistent)
      for signal in Signal.allCases where bits & 1 << UInt64(signal.rawValue) != 0 {
        let watchers = state.withLock { $0.watchers.values.filter { $0.signals.contains(signal) } }
        for watcher in watchers { watcher.onSignal(signal) }
      }
    }
  }
}
