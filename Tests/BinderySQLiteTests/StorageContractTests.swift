import BinderyCore
import BinderyDigest
import BinderyJournal
import Testing

/// The requirements that every implementation of `JournalStorage` meets.
struct StorageContractTests {
  @Test(arguments: StorageKind.allCases)
  func `appended revisions are read in order, also after reopening`(_ kind: StorageKind) throws {
    try kind.check(AppendOrder())
  }

  @Test(arguments: StorageKind.allCases)
  func `revisions that do not follow the last one are rejected and not stored`(_ kind: StorageKind) throws {
    try kind.check(AppendConflict())
  }

  @Test(arguments: StorageKind.allCases)
  func `recovery applies all revisions to the snapshot`(_ kind: StorageKind) throws { try kind.check(Replay()) }

  @Test(arguments: StorageKind.allCases)
  func `a snapshot is used only after it is finished`(_ kind: StorageKind) throws {
    try kind.check(SnapshotCompletion())
  }

  @Test(arguments: StorageKind.allCases)
  func `only revisions that recovery does not need are removed`(_ kind: StorageKind) throws {
    try kind.check(Expiry())
  }

  @Test(arguments: StorageKind.allCases)
  func `the retained revisions fit the limit in bytes`(_ kind: StorageKind) throws { try kind.check(ByteLimit()) }

  @Test(arguments: StorageKind.allCases)
  func `results of commits with idempotency keys are kept with their revisions, also after these have expired`(
    _ kind: StorageKind
  ) throws { try kind.check(KeyedResultRetention()) }

  @Test(arguments: StorageKind.allCases)
  func `a page starts after a revision and respects the limit`(_ kind: StorageKind) throws {
    try kind.check(Paging())
  }

  @Test(arguments: StorageKind.allCases)
  func `a page of several revisions respects the limit in bytes`(_ kind: StorageKind) throws {
    try kind.check(PageSize())
  }
}

/// Returns revisions with placeholder patches.
///
/// - Parameter time: The time of revision 0 in milliseconds since 1970; each revision adds a millisecond.
private func revisions(_ numbers: ClosedRange<Int>, at time: Int64 = 4_000_000_000_000) -> [Revision] {
  numbers.map { number in
    Revision(
      number: number, at: time + Int64(number), patch: Array("[\(number)]".utf8), undo: Array("[-\(number)]".utf8),
      shown: number % 2 == 0 ? .init(patch: Array("[]".utf8), undo: Array("[0]".utf8)) : nil)
  }
}

private struct KeyedResultRetention: StorageContract {
  /// Returns a revision whose commit has an idempotency key if the number is odd.
  private static func revision(_ number: Int) -> Revision {
    let result = KeyedResult(
      key: "\u{22}key\\-\(number)", fingerprint: Digest(high: 1, low: UInt64(number)), revision: number,
      time: 4_000_000_000, response: Array(#"{"status":200,"etag":"x"}"#.utf8))
    return Revision(
      number: number, at: 1, patch: Array("[]".utf8), undo: Array("[]".utf8), shown: nil,
      metadata: CommitMetadata(author: "alice", keyedResult: number % 2 == 1 ? result : nil))
  }

  func check<Storage: JournalStorage>(for opener: StorageOpener<Storage>) throws {
    let expected = [1, 3, 5].compactMap { Self.revision($0).metadata.keyedResult }
    try opener.with { storage in
      try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
      #expect(try storage.keyedResults() == [])
      try storage.append([Self.revision(1), Self.revision(2), Self.revision(3)])
      #expect(throws: StorageFailure.self) { try storage.append([Self.revision(7)]) }
      try storage.append([Self.revision(4)])
      try storage.append([Self.revision(5)])
      #expect(try storage.keyedResults() == expected)
      #expect(
        try storage.revisions(after: 0, limit: 9, Retention(days: 1_000_000)).revisions.map(\.metadata.author)
          == Array(repeating: "alice", count: 5))
      try storage.finish(piece: [1], number: 0, ofSnapshotAt: 5, layout: "x")
      while try storage.removeExpired(Retention(revisions: 1), atMost: JournalStep.bytes) {}
    }
    let kept = try opener.with { try $0.keyedResults() }
    #expect(kept == expected)
  }
}

private struct AppendOrder: StorageContract {
  func check<Storage: JournalStorage>(for opener: StorageOpener<Storage>) throws {
    try opener.with { storage in
      #expect(try storage.snapshot() == nil)
      try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
      try storage.append(revisions(1...3))
      try storage.append(revisions(4...4))
    }
    try opener.with { storage in
      #expect(try storage.revisions(after: nil, limit: 10, Retention()).revisions == revisions(1...4))
      try storage.append(revisions(5...9))
      #expect(try storage.reopen() == 9)
      var patches: [String] = []
      let failure = storage.forEachPatch(after: 3) { number, patch in
        patches.append("\(number): \(String(decoding: patch, as: UTF8.self))")
      }
      #expect(failure == nil)
      #expect(patches == ["4: [4]", "5: [5]", "6: [6]", "7: [7]", "8: [8]", "9: [9]"])
    }
  }
}

private struct AppendConflict: StorageContract {
  func check<Storage: JournalStorage>(for opener: StorageOpener<Storage>) throws {
    try opener.with { storage in
      try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
      try storage.append(revisions(1...3))
      for numbers in [3...4, 5...6, 1...1] {
        do throws(StorageFailure) {
          try storage.append(revisions(numbers))
          Issue.record("revisions \(numbers) were accepted after revision 3")
        } catch .refused {
        } catch {
          Issue.record("\(error)")
        }
      }
      #expect(try storage.reopen() == 3)
      try storage.append(revisions(4...5))
      #expect(try storage.revisions(after: nil, limit: 10, Retention()).revisions == revisions(1...5))
    }
  }
}

private struct Replay: StorageContract {
  func check<Storage: JournalStorage>(for opener: StorageOpener<Storage>) throws {
    var root = Notes()
    var number = 0
    for round in 0..<4 {
      try opener.with { storage in
        let recovery = try Recovery(from: storage) { Notes() }
        #expect(recovery.revision == number)
        #expect(Notes.shape.areSame(recovery.root, root))
        for _ in 0..<50 {
          let before = root
          root.edit(number)
          try root.settle(from: before)
          number += 1
          try storage.append([Revision(number: number, at: Int64(number), from: before, to: root, Notes.shape)])
        }
        if round == 2 {
          try storage.finish(piece: Notes.shape.stored(root), number: 0, ofSnapshotAt: number, layout: "x")
        }
      }
    }
    try opener.with { storage in
      let recovery = try Recovery<Notes>(of: storage)
      #expect(recovery?.replayed == 50)
      #expect(recovery.map { Notes.shape.areSame($0.root, root) } == true)
    }
  }
}

private struct SnapshotCompletion: StorageContract {
  func check<Storage: JournalStorage>(for opener: StorageOpener<Storage>) throws {
    try opener.with { storage in
      try storage.finish(piece: Array("0".utf8), number: 0, ofSnapshotAt: 0, layout: "x")
      try storage.append(revisions(1...3))
      try storage.write(piece: Array("a".utf8), number: 0, ofSnapshotAt: 2)
      try storage.write(piece: Array("b".utf8), number: 1, ofSnapshotAt: 2)
      #expect(try storage.snapshot()?.revision == 0)
    }
    try opener.with { storage in
      #expect(try storage.snapshot()?.content == Array("0".utf8))
      #expect(try storage.snapshot()?.layout == "x")
      try storage.write(piece: Array("c".utf8), number: 0, ofSnapshotAt: 2)
      try storage.finish(piece: Array("d".utf8), number: 1, ofSnapshotAt: 2, layout: "y")
      #expect(try storage.snapshot()?.content == Array("cd".utf8))
    }
    try opener.with { storage in
      #expect(try storage.snapshot()?.revision == 2)
      #expect(try storage.snapshot()?.layout == "y")
      while try storage.removeExpired(Retention(), atMost: JournalStep.bytes) {}
      #expect(try storage.snapshot()?.content == Array("cd".utf8))
      #expect(try storage.reopen() == 3)
    }
  }
}

private struct Expiry: StorageContract {
  func check<Storage: JournalStorage>(for opener: StorageOpener<Storage>) throws {
    try opener.with { storage in
      try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
      // All have expired, but recovery needs them, because the latest snapshot is older.
      try storage.append(revisions(1...2500, at: 0))
      let retention = Retention(revisions: 10, days: 30)
      while try storage.removeExpired(retention, atMost: JournalStep.bytes) {}
      #expect(try storage.revisions(after: nil, limit: 10, retention).oldest == 2501)
      var count = 0
      _ = storage.forEachPatch(after: 0) { _, _ in count += 1 }
      #expect(count == 2500)
      try storage.finish(piece: [2], number: 0, ofSnapshotAt: 2500, layout: "x")
      try storage.append(revisions(2501...2520))
      while try storage.removeExpired(retention, atMost: JournalStep.bytes) {}
      #expect(try storage.revisions(after: nil, limit: 100, retention).revisions.map(\.number) == Array(2511...2520))
      #expect(try storage.revisions(after: nil, limit: 1, retention).oldest == 2511)
      #expect(try storage.reopen() == 2520)
      // Revisions that share a row are removed together, once all of them have expired. Until then the history omits
      // the expired ones.
      try storage.finish(piece: [3], number: 0, ofSnapshotAt: 2520, layout: "x")
      try storage.append(revisions(2521...2525))
      while try storage.removeExpired(retention, atMost: JournalStep.bytes) {}
      let page = try storage.revisions(after: nil, limit: 100, retention)
      #expect(page.oldest == 2516)
      #expect(page.revisions == revisions(2516...2525))
    }
    try opener.with { storage in
      expectCount(5, of: storage, after: 2520)
      #expect(storage.forEachPatch(after: 0) { _, _ in } == .damaged("revision 1 is missing"))
    }
  }

  private func expectCount(_ expected: Int, of storage: some JournalStorage, after revision: Int) {
    var count = 0
    _ = storage.forEachPatch(after: revision) { _, _ in count += 1 }
    #expect(count == expected)
  }
}

private struct ByteLimit: StorageContract {
  func check<Storage: JournalStorage>(for opener: StorageOpener<Storage>) throws {
    let patch = Array("\"\(String(repeating: "x", count: 100_000))\"".utf8)
    let retention = Retention(revisions: 1_000, days: 36_500, bytes: 1_010_000)
    func append(_ numbers: ClosedRange<Int>, to storage: Storage) throws {
      for number in numbers {
        try storage.append([Revision(number: number, at: 4_000_000_000_000, patch: patch, undo: patch, shown: nil)])
      }
    }
    try opener.with { storage in
      try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
      try append(1...30, to: storage)
      // The history omits what exceeds the limit, and recovery keeps what it needs.
      #expect(try storage.revisions(after: nil, limit: 1, retention).oldest == 26)
      while try storage.removeExpired(retention, atMost: JournalStep.bytes) {}
      #expect(try storage.historySize() >= 6_000_000)
      try storage.finish(piece: [2], number: 0, ofSnapshotAt: 30, layout: "x")
      while try storage.removeExpired(retention, atMost: JournalStep.bytes) {}
      #expect((1_000_000...retention.bytes).contains(try storage.historySize()))
      #expect(try storage.revisions(after: nil, limit: 1, retention).oldest == 26)
    }
    try opener.with { storage in
      try append(31...33, to: storage)
      try storage.finish(piece: [3], number: 0, ofSnapshotAt: 33, layout: "x")
      while try storage.removeExpired(retention, atMost: JournalStep.bytes) {}
      #expect(try storage.revisions(after: 31, limit: 9, retention).oldest == 29)
      #expect(try storage.historySize() <= retention.bytes)
      // Nothing is retained of revisions that exceed the limit one by one.
      let none = Retention(revisions: 1_000, days: 36_500, bytes: 1_000)
      while try storage.removeExpired(none, atMost: JournalStep.bytes) {}
      #expect(try storage.historySize() == 0)
      #expect(try storage.revisions(after: nil, limit: 9, none).oldest == 34)
      try append(34...34, to: storage)
      #expect(try storage.reopen() == 34)
    }
  }
}

private struct Paging: StorageContract {
  func check<Storage: JournalStorage>(for opener: StorageOpener<Storage>) throws {
    try opener.with { storage in
      try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
      #expect(try storage.revisions(after: nil, limit: 5, Retention()).oldest == 1)
      try storage.append(revisions(1...20))
      #expect(try storage.revisions(after: nil, limit: 3, Retention()).revisions == revisions(1...3))
      #expect(try storage.revisions(after: 18, limit: 3, Retention()).revisions == revisions(19...20))
      #expect(try storage.revisions(after: 20, limit: 3, Retention()).revisions == [])
      let last = try storage.revisions(after: nil, limit: 100, Retention(revisions: 4))
      #expect(last.revisions == revisions(17...20))
      #expect(last.oldest == 17)
    }
  }
}

private struct PageSize: StorageContract {
  func check<Storage: JournalStorage>(for opener: StorageOpener<Storage>) throws {
    func revision(_ number: Int, bytes: Int) -> Revision {
      let patch = Array("\"\(String(repeating: "x", count: bytes / 2 - 2))\"".utf8)
      return Revision(number: number, at: 4_000_000_000_000, patch: patch, undo: patch, shown: nil)
    }
    let limit = HistoryPage.byteLimit
    // A row has a few bytes more than its patches.
    let all = [limit / 2, limit / 2 - 100, 200, 3 * limit, 100, 100].enumerated().map { revision($0 + 1, bytes: $1) }
    try opener.with { storage in
      try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
      // The last four share one row.
      for revisions in [all[0...0], all[1...1], all[2...5]] { try storage.append(Array(revisions)) }
      // A page ends before it exceeds the limit, and a revision beyond the limit is a page.
      for (after, expected) in [(0, 1...2), (2, 3...3), (3, 4...4), (4, 5...6)] {
        let page = try storage.revisions(after: after, limit: 100, Retention())
        #expect(page.revisions.map(\.number) == Array(expected) && page.oldest == 1)
      }
    }
  }
}
