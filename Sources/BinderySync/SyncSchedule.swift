package import BinderySystem

/// When the data file is examined, read and written. Times are in milliseconds of any steady clock.
package struct SyncSchedule: Sendable {
  /// The time from the first commit that the file lacks to the next write.
  package static let writeDelay: Int64 = 100
  /// The writes take at most one part of this many of the time.
  package static let writeShare: Int64 = 10
  /// The time for which a changed file must have stayed the same before it is read.
  package static let quietTime: Int64 = 50
  /// The time between examinations of the file without a notification.
  package static let pollInterval: Int64 = 1_000
  /// The time after which something that failed is tried again.
  package static let retryInterval: Int64 = 1_000

  /// The time of the next write; nil if there is nothing to write.
  private var writeTime: Int64?
  /// The end of the pause after the last write.
  private var pauseEnd = Int64.min
  /// The time of the next examination of the file.
  private var lookTime: Int64
  /// A version of the file that has been seen but may still be being written, and since when; a nil stamp means that
  /// there is no file.
  private var sighting: (stamp: FileStamp?, since: Int64)?

  package init(at now: Int64) { lookTime = now + Self.pollInterval }

  /// Whether a changed file has been seen that is not quiet yet.
  package var isWaitingForQuiet: Bool { sighting != nil }

  /// Returns the time of the next action.
  ///
  /// - Parameter mayWrite: Whether the file may be written at present.
  package func deadline(mayWrite: Bool) -> Int64 {
    guard mayWrite, let writeTime else { return lookTime }
    return min(lookTime, max(writeTime, pauseEnd))
  }

  // MARK: Writing

  /// A commit has made the file outdated.
  package mutating func didCommit(at now: Int64) {
    if writeTime == nil { writeTime = now + Self.writeDelay }
  }

  package func isWriteDue(at now: Int64) -> Bool { writeTime.map { max($0, pauseEnd) <= now } ?? false }

  /// The file has been written.
  package mutating func didWrite(from start: Int64, to end: Int64) {
    writeTime = nil
    pauseEnd = end + (Self.writeShare - 1) * (end - start)
  }

  /// The file could not be written.
  package mutating func didFailToWrite(at now: Int64) { writeTime = now + Self.retryInterval }

  // MARK: Reading

  /// The file may have changed.
  package mutating func didReceiveNotification(at now: Int64) { lookTime = min(lookTime, now) }

  package func isLookDue(at now: Int64) -> Bool { lookTime <= now }

  /// The file is still the one that is known.
  package mutating func didSeeKnownFile(at now: Int64) {
    sighting = nil
    lookTime = now + Self.pollInterval
  }

  /// The file differs from the one that is known.
  ///
  /// - Returns: Whether it has stayed the same for long enough.
  package mutating func didSeeChange(_ stamp: FileStamp?, at now: Int64) -> Bool {
    guard let sighting, sighting.stamp == stamp else {
      sighting = (stamp, now)
      lookTime = now + Self.quietTime
      return false
    }
    lookTime = sighting.since + Self.quietTime
    guard lookTime <= now else { return false }
    didSeeKnownFile(at: now)
    return true
  }
}
