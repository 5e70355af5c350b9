import BinderyCore
import BinderyJournal
import BinderySQLite
import BinderySystem
import BinderyTestKit
import Synchronization
import Testing

/// The size of the WAL file while others read the store.
struct WALSizeTests {
  /// Reads pages of the history on two threads, so that somebody reads at all times.
  private final class Readers: Sendable {
    private let hasEnded = Atomic(false)
    private let threads = Mutex<[Thread]>([])

    init(_ reader: any RevisionReader) throws {
      for _ in 0..<2 {
        let thread = try Thread { [self] in
          while !hasEnded.load(ordering: .relaxed) { _ = try? reader.revisions(HistoryQuery(limit: 1), Retention()) }
        }
        threads.withLock { $0.append(thread) }
      }
    }

    func end() {
      hasEnded.store(true, ordering: .relaxed)
      for thread in threads.withLock({ $0 }) { thread.join() }
    }
  }

  @Test func `reads of the history without a break do not keep the WAL file from starting again`() throws {
    let folder = try TemporaryFolder()
    let path = folder("store.db")
    let storage = try SQLiteStorage(path)
    defer { storage.close() }
    try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
    let readers = try Readers(storage.makeRevisionReader())
    defer { readers.end() }
    let patch = Array(repeating: UInt8(ascii: " "), count: 400_000)
    var largest = 0
    for number in 1...300 {
      try storage.append([Revision(number: number, at: 1, patch: patch, undo: [], shown: nil)])
      largest = max(largest, FileStatus.size(path + "-wal") ?? 0)
    }
    // 120 MB were written, and the readers pause from 16 MB on.
    #expect(largest > 4_000_000 && largest < 40_000_000)
  }
}
