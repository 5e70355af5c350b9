package import BinderyCore
import BinderyJSON
import BinderySystem
package import BinderyTelemetry

/// Synchronizes a data file and a store. Used by one thread.
///
/// The engine remembers the last text of the file that agreed with the state, and the state that it described. A new
/// text is decoded, and the difference to the remembered state is merged into the store as one commit. A new revision
/// is written into the file. The store is never changed by a text that is not valid, or that changes what the store has
/// changed meanwhile.
package struct SyncEngine<Root: Sendable>: Sendable {
  /// A text of the file and the state that it describes.
  struct Version: Sendable {
    let text: [UInt8]
    let root: Root
    /// Whether the text describes exactly this state.
    var isExact = true
    /// What the text describes when it is decoded again, if it leaves something to chance, such as a generated id. If
    /// this is nil and the text is not exact, it only shows the layout of the file.
    var decodedAgain: Root?
  }

  /// Content of the file that was not applied.
  struct Rejected: Sendable, Equatable {
    /// The text; nil if the file cannot be read.
    let text: [UInt8]?
    let reason: String
    /// Whether the same content may be accepted later.
    let isTemporary: Bool
  }

  let file: SyncFile
  let store: Store<Root>
  let logger: Logger
  /// Returns the time in milliseconds, to measure how long writing takes.
  let clock: @Sendable () -> Int64
  var record: SyncRecord
  var schedule: SyncSchedule
  /// The last version of the file that agreed with the store.
  var base: Version
  /// Whether ``base`` is known: the file and the store agreed since the start, or the store has not changed since they
  /// agreed last.
  var isBaseKnown = false
  /// The revision that the file agrees with; nil if it has to be written.
  var agreedRevision: Int?
  /// The stamp and the status of the file when it was last read or written; nil if there was none.
  var knownStamp: FileStamp?
  var knownStatus: FileStatus?
  /// Whether the file contains the text of ``base``.
  var fileHasBase = false
  /// The content of the file that was not applied. The file is not written until it changes.
  var rejected: Rejected?
  /// Whether the file must be read although it looks unchanged.
  private var isSuspected = false
  /// The last failure to write, which is logged once.
  private var writeFailure: Errno?

  /// Creates an engine. ``begin()`` is its first action.
  ///
  /// - Parameters:
  ///   - recordPath: The path of the file that records what was last written; nil for a store in memory.
  ///   - clock: Returns the time in milliseconds, to measure how long writing takes.
  package init(
    _ file: SyncFile, _ store: Store<Root>, recordPath: String?, _ logger: Logger,
    clock: @escaping @Sendable () -> Int64
  ) {
    (self.file, self.store, self.logger, self.clock) = (file, store, logger, clock)
    record = SyncRecord(recordPath, ofFile: file.name)
    schedule = SyncSchedule(at: clock())
    base = Version(text: [], root: store.snapshot.root, isExact: false)
  }

  /// Whether the file may be written at present.
  private var mayWrite: Bool { rejected == nil && !isSuspected }

  /// The time of the next turn without a notification.
  package var deadline: Int64 { schedule.deadline(mayWrite: mayWrite) }

  /// Another program may have changed the file.
  ///
  /// - Parameter isWrite: Whether it has written to the file, possibly within the resolution of the file's time.
  package mutating func didReceiveNotification(isWrite: Bool, at now: Int64) {
    isSuspected = isSuspected || isWrite
    schedule.didReceiveNotification(at: now)
  }

  /// Does what is due.
  package mutating func turn(at now: Int64) {
    if store.revision != agreedRevision { schedule.didCommit(at: now) }
    if schedule.isLookDue(at: now) { look(at: now) }
    if schedule.isWriteDue(at: now), mayWrite { write(at: now) }
  }

  /// Whether another program may still be writing the file: it has a change that is not read yet, or that could not be
  /// applied.
  var isChanging: Bool { schedule.isWaitingForQuiet || rejected != nil }

  /// Reads a last change, and writes the state.
  package mutating func finish() {
    let now = clock()
    if isSuspected || file.status?.stamp != knownStamp { read(at: now) }
    if let rejected {
      guard let text = rejected.text, keep(text, because: "the server stops before the file was corrected") else {
        return logger.log(.error, "\(file.path) is not written: it does not contain the last state of the store")
      }
    }
    rejected = nil
    write(at: now)
    if agreedRevision != store.revision {
      logger.log(.error, "\(file.path) is being changed: it does not contain the last state of the store")
    }
  }

  // MARK: Reading the file

  private mutating func look(at now: Int64) {
    let status = file.status
    guard status?.stamp != knownStamp || rejected?.isTemporary == true || isSuspected else {
      knownStatus = status ?? knownStatus
      return schedule.didSeeKnownFile(at: now)
    }
    if schedule.didSeeChange(status?.stamp, at: now) { read(at: now) }
  }

  /// Reads the file and merges its change into the store.
  private mutating func read(at now: Int64) {
    isSuspected = false
    guard let status = file.status else {
      (knownStamp, rejected, fileHasBase) = (nil, nil, false)
      return logger.log(.warning, "\(file.path) was removed: it is written again after the next commit")
    }
    let text: [UInt8]
    do throws(FileProblem) {
      guard let read = try file.read(), read.stamp == status.stamp else {
        return schedule.didReceiveNotification(at: now)
      }
      text = read.text
    } catch {
      knownStamp = status.stamp
      return reject(nil, error.reason, isTemporary: true)
    }
    (knownStamp, knownStatus) = (status.stamp, status)
    if let rejected, rejected.text == text, !rejected.isTemporary { return }
    guard !base.isExact || text != base.text else {
      if rejected != nil { logger.log(.info, "\(file.path) is valid again, and has no change") }
      (rejected, fileHasBase) = (nil, true)
      return
    }
    fileHasBase = false
    if isBaseKnown { merge(text, at: now) } else { mergeFirst(text, at: now) }
  }

  /// Merges a new text of the file into the store.
  mutating func merge(_ text: [UInt8], at now: Int64) {
    do throws(FileProblem) {
      let root = try decode(text)
      let change = try change(to: root)
      switch try commit(change) {
      case .merged(let snapshot):
        base = version(text, root)
        if change.firstPlace != nil {
          logger.log(.info, "\(file.path): read its change; the store is at revision \(snapshot.revision)")
        } else if rejected != nil {
          logger.log(.info, "\(file.path) is valid again, and has no change")
        }
        (rejected, fileHasBase) = (nil, base.isExact)
        write(at: now)
      case .conflict(let pointer):
        rejected = nil
        if keep(text, because: "\(pointer) was changed both in the file and in the store") { write(at: now) }
      case .failed(let reason): reject(text, "its change cannot be stored at present: \(reason)", isTemporary: true)
      }
    } catch { reject(text, error.reason) }
  }

  /// Remembers a text that cannot be applied.
  ///
  /// - Parameter text: The text; nil if the file cannot be read.
  mutating func reject(_ text: [UInt8]?, _ reason: String, isTemporary: Bool = false) {
    let new = Rejected(text: text, reason: reason, isTemporary: isTemporary)
    guard rejected != new else { return }
    rejected = new
    let advice =
      isTemporary
      ? "trying again"
      : "this change is not applied, and the file is not written until it is corrected or the server stops"
    logger.log(.warning, "\(file.path): \(reason); \(advice)")
  }

  /// Keeps a text that is not applied in a file of its own, before the file is overwritten.
  ///
  /// - Returns: Whether the text is kept; otherwise the file must not be overwritten.
  mutating func keep(_ text: [UInt8], because reason: String) -> Bool {
    do throws(Errno) {
      let path = try file.keep(text, like: knownStatus)
      logger.log(.warning, "\(file.path): \(reason): nothing of its change was applied; its text is kept as \(path)")
      return true
    } catch {
      reject(text, "\(reason), and its text cannot be kept in another file: \(error)")
      return false
    }
  }

  // MARK: Writing the file

  /// Writes the state into the file, unless the file describes it already.
  mutating func write(at now: Int64) {
    let start = clock()
    let snapshot = store.snapshot
    recoverLeftover()
    do throws(Errno) {
      let text = text(of: snapshot.root)
      let version = SyncRecord.Version(
        digest: SyncRecord.digest(of: text), revision: snapshot.revision, history: store.history.text)
      if !fileHasBase || text != base.text {
        try record.save(record.versions.prefix(1) + [version])
        guard let stamp = try file.replace(with: text, known: knownStamp, last: knownStatus) else {
          return didReceiveNotification(isWrite: true, at: now)
        }
        knownStamp = stamp
        knownStatus = file.status ?? knownStatus
      }
      base = Version(text: text, root: snapshot.root)
      (fileHasBase, isBaseKnown) = (true, true)
      agreedRevision = snapshot.revision
      try record.save([version])
      writeFailure = nil
      schedule.didWrite(from: start, to: clock())
    } catch {
      if writeFailure != error { logger.log(.error, "\(file.path) cannot be written: \(error); trying again") }
      writeFailure = error
      schedule.didFailToWrite(at: now)
    }
  }
}
