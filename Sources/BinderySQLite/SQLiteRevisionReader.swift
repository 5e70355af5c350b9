import BinderyCore
import BinderyJournal
import BinderySystem
import Synchronization

/// Makes the reader of the history wait while the WAL file is too long.
///
/// A commit starts at the beginning of the WAL file only if a checkpoint has copied the whole file to the database and
/// no connection reads it. Without a pause between readers, that may never happen, and the file grows.
final class ReaderPause: Sendable {
  private let isRequested = Atomic(false)
  private static var maximumMilliseconds: Int { 100 }

  /// Requests a pause, or ends it. Called after each commit.
  func request(_ isNeeded: Bool) { isRequested.store(isNeeded, ordering: .relaxed) }

  /// Waits until a commit has ended the pause, but not long: perhaps no commit follows.
  func wait() {
    for _ in 0..<Self.maximumMilliseconds {
      guard isRequested.load(ordering: .relaxed) else { return }
      Thread.sleep(milliseconds: 1)
    }
    request(false)
  }
}

/// Reads pages of revisions from a store that the same process writes to, with a connection for each page.
///
/// A connection that stayed open would keep the WAL file from being removed when the writer closes the store.
struct SQLiteRevisionReader: RevisionReader {
  let path: String
  /// The file of the writer.
  let identity: FileIdentity?
  let pause: ReaderPause

  func revisions(_ query: HistoryQuery, _ retention: Retention) throws(StorageFailure) -> HistoryPage {
    pause.wait()
    let storage: SQLiteStorage?
    do throws(StoreError) { storage = try SQLiteStorage(reading: path) } catch {
      throw .refused(.unavailable("The history cannot be read: \(error)."))
    }
    defer { storage?.close() }
    guard let storage, FileStatus(path)?.identity == identity else {
      throw .refused(.unavailable("The file of the store was moved, removed or replaced."))
    }
    return try storage.page(query, retention)
  }
}
