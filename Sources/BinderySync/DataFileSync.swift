package import BinderyCore
package import BinderySystem
package import BinderyTelemetry
import Synchronization

/// Synchronizes a data file with a store, on its own thread.
package final class DataFileSync<Root: Sendable>: Sendable {
  private let store: Store<Root>
  private let wakeup: Wakeup
  /// Used only by the thread, once it has started.
  private let engine: Mutex<SyncEngine<Root>>
  private let thread = Mutex<Thread?>(nil)
  private let isStopping = Atomic<Bool>(false)
  /// Whether the thread has been woken for commits that are not in the file yet. Further ones need not wake it.
  private let isAwake = Atomic<Bool>(false)

  /// Synchronizes the file and the store once.
  ///
  /// - Parameters:
  ///   - path: The path of the data file.
  ///   - recordPath: The path of the file that records what was last written; nil for a store in memory.
  /// - Throws: ``SyncRefusal`` if the file cannot be synchronized.
  package init(
    _ path: String, _ store: Store<Root>, recordPath: String?, _ logger: Logger
  ) throws(SyncRefusal) {
    self.store = store
    do throws(Errno) { wakeup = try Wakeup() } catch { throw SyncRefusal("cannot watch \(path): \(error)") }
    let file = SyncFile(path)
    file.waitUntilQuiet()
    var engine = SyncEngine(file, store, recordPath: recordPath, logger) { Clock.monotonicMilliseconds }
    try engine.begin()
    self.engine = Mutex(engine)
  }

  /// Starts the thread that synchronizes changes.
  ///
  /// - Throws: The error of a system call.
  package func start() throws(Errno) {
    let poll = try Poll(capacity: 2)
    try poll.add(wakeup, token: 0)
    let shared = Mutex(poll)
    let started = try Thread { [self] in
      let observer = store.observe { [self] in
        if !isAwake.exchange(true, ordering: .sequentiallyConsistent) { wakeup.signal() }
      }
      engine.withLock { engine in shared.withLock { poll in run(&engine, &poll) } }
      store.removeObserver(observer)
    }
    thread.withLock { $0 = started }
  }

  /// Reads a last change of the file, writes the state into it, and ends the thread.
  package func stop() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    wakeup.signal()
    thread.withLock { $0.take() }?.join()
  }

  private func run(_ engine: inout SyncEngine<Root>, _ poll: inout Poll) {
    let watch = watch(engine, poll)
    var stopDeadline: Int64?
    while true {
      // Before the engine compares the revisions, so that no commit is missed.
      if engine.agreedRevision == store.revision { isAwake.store(false, ordering: .sequentiallyConsistent) }
      let now = Clock.monotonicMilliseconds
      if isStopping.load(ordering: .sequentiallyConsistent), stopDeadline == nil {
        stopDeadline = now + 1_000
        engine.didReceiveNotification(isWrite: false, at: now)
      }
      engine.turn(at: now)
      // A program that is writing to the file may finish.
      if let stopDeadline, !engine.isChanging || stopDeadline <= now { return engine.finish() }
      _ = poll.wait(milliseconds: Int(max(0, engine.deadline - now)))
      for event in watch?.events() ?? [] where event.name == nil || event.name == engine.file.name {
        engine.didReceiveNotification(isWrite: event.isWrite, at: Clock.monotonicMilliseconds)
      }
    }
  }

  /// Returns a watch of the directory; nil if there is none. The file is then examined once a second only.
  private func watch(_ engine: SyncEngine<Root>, _ poll: borrowing Poll) -> DirectoryWatch? {
    do throws(Errno) {
      let watch = try DirectoryWatch(engine.file.directory)
      try poll.add(watch, token: 1)
      return watch
    } catch {
      engine.logger.log(
        .info, "\(engine.file.path) is examined once a second, because inotify is not available: \(error)")
      return nil
    }
  }
}
