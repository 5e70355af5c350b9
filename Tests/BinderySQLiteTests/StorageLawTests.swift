import BinderyCore
import BinderyJournal
import Testing

/// What every log must do, whatever it is made of.
struct StorageLawTests {
  @Test(arguments: StorageKind.allCases)
  func `what was appended is there in order, also after reopening`(_ kind: StorageKind) throws {
    try kind.check(Order())
  }

  @Test(arguments: StorageKind.allCases)
  func `what does not follow is refused, and nothing of it is kept`(_ kind: StorageKind) throws {
    try kind.check(Conflict())
  }

  @Test(arguments: StorageKind.allCases)
  func `the state is what its revisions make of it`(_ kind: StorageKind) throws { try kind.check(Replay()) }

  @Test(arguments: StorageKind.allCases)
  func `a snapshot counts when it is whole`(_ kind: StorageKind) throws { try kind.check(Snapshots()) }

  @Test(arguments: StorageKind.allCases)
  func `what is forgotten is not needed`(_ kind: StorageKind) throws { try kind.check(Forgetting()) }

  @Test(arguments: StorageKind.allCases)
  func `a page begins behind a revision and has a limit`(_ kind: StorageKind) throws { try kind.check(Paging()) }
}

/// Revisions without meaning.
private func revisions(_ numbers: ClosedRange<Int>, at time: Int64 = 4_000_000_000_000) -> [Revision] {
  numbers.map { number in
    Revision(
      number: number, at: time + Int64(number), patch: Array("[\(number)]".utf8), undo: Array("[-\(number)]".utf8),
      shown: number % 2 == 0 ? .init(patch: Array("[]".utf8), undo: Array("[0]".utf8)) : nil)
  }
}

private struct Order: LogLaw {
  func hold<Kept: JournalStorage>(for source: LogSource<Kept>) throws {
    try source.with { log in
      #expect(try log.snapshot() == nil)
      try log.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
      try log.append(revisions(1...3))
      try log.append(revisions(4...4))
    }
    try source.with { log in
      #expect(try log.revisions(after: nil, limit: 10, Retention()).revisions == revisions(1...4))
      try log.append(revisions(5...9))
      #expect(try log.reopen() == 9)
      var patches: [String] = []
      let failure = log.forEachPatch(after: 3) { number, patch in
        patches.append("\(number): \(String(decoding: patch, as: UTF8.self))")
      }
      #expect(failure == nil)
      #expect(patches == ["4: [4]", "5: [5]", "6: [6]", "7: [7]", "8: [8]", "9: [9]"])
    }
  }
}

private struct Conflict: LogLaw {
  func hold<Kept: JournalStorage>(for source: LogSource<Kept>) throws {
    try source.with { log in
      try log.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
      try log.append(revisions(1...3))
      for wrong in [3...4, 5...6, 1...1] {
        do throws(StorageFailure) {
          try log.append(revisions(wrong))
          Issue.record("\(wrong) follows 3")
        } catch .refused {
        } catch {
          Issue.record("\(error)")
        }
      }
      #expect(try log.reopen() == 3)
      try log.append(revisions(4...5))
      #expect(try log.revisions(after: nil, limit: 10, Retention()).revisions == revisions(1...5))
    }
  }
}

private struct Replay: LogLaw {
  func hold<Kept: JournalStorage>(for source: LogSource<Kept>) throws {
    var root = Notes()
    var number = 0
    for round in 0..<4 {
      try source.with { log in
        let recovery = try Recovery(from: log) { Notes() }
        #expect(recovery.revision == number)
        #expect(Notes.shape.areSame(recovery.root, root))
        for _ in 0..<50 {
          let before = root
          root.edit(number)
          try root.settle(from: before)
          number += 1
          try log.append([Revision(number: number, at: Int64(number), from: before, to: root)])
        }
        if round == 2 { try log.finish(piece: Notes.shape.stored(root), number: 0, ofSnapshotAt: number, layout: "x") }
      }
    }
    try source.with { log in
      let recovery = try Recovery<Notes>(of: log)
      #expect(recovery?.replayed == 50)
      #expect(recovery.map { Notes.shape.areSame($0.root, root) } == true)
    }
  }
}

private struct Snapshots: LogLaw {
  func hold<Kept: JournalStorage>(for source: LogSource<Kept>) throws {
    try source.with { log in
      try log.finish(piece: Array("0".utf8), number: 0, ofSnapshotAt: 0, layout: "x")
      try log.append(revisions(1...3))
      try log.write(piece: Array("a".utf8), number: 0, ofSnapshotAt: 2)
      try log.write(piece: Array("b".utf8), number: 1, ofSnapshotAt: 2)
      #expect(try log.snapshot()?.revision == 0)
    }
    try source.with { log in
      #expect(try log.snapshot()?.content == Array("0".utf8))
      #expect(try log.snapshot()?.layout == "x")
      try log.write(piece: Array("c".utf8), number: 0, ofSnapshotAt: 2)
      try log.finish(piece: Array("d".utf8), number: 1, ofSnapshotAt: 2, layout: "y")
      #expect(try log.snapshot()?.content == Array("cd".utf8))
    }
    try source.with { log in
      #expect(try log.snapshot()?.revision == 2)
      #expect(try log.snapshot()?.layout == "y")
      while try log.forget(Retention()) {}
      #expect(try log.snapshot()?.content == Array("cd".utf8))
      #expect(try log.reopen() == 3)
    }
  }
}

private struct Forgetting: LogLaw {
  func hold<Kept: JournalStorage>(for source: LogSource<Kept>) throws {
    try source.with { log in
      try log.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
      // Too old, all of them, and yet needed: no snapshot stands for them.
      try log.append(revisions(1...2500, at: 0))
      let retention = Retention(revisions: 10, days: 30)
      while try log.forget(retention) {}
      #expect(try log.revisions(after: nil, limit: 10, retention).oldest == 2501)
      var count = 0
      _ = log.forEachPatch(after: 0) { _, _ in count += 1 }
      #expect(count == 2500)
      try log.finish(piece: [2], number: 0, ofSnapshotAt: 2500, layout: "x")
      try log.append(revisions(2501...2520))
      while try log.forget(retention) {}
      #expect(try log.revisions(after: nil, limit: 100, retention).revisions.map(\.number) == Array(2511...2520))
      #expect(try log.revisions(after: nil, limit: 1, retention).oldest == 2511)
      #expect(try log.reopen() == 2520)
      // What was kept together is forgotten together, and not before all of it may be.
      try log.finish(piece: [3], number: 0, ofSnapshotAt: 2520, layout: "x")
      try log.append(revisions(2521...2525))
      while try log.forget(retention) {}
      let page = try log.revisions(after: nil, limit: 100, retention)
      #expect(page.oldest == 2516)
      #expect(page.revisions == revisions(2516...2525))
    }
    try source.with { log in
      count(log, after: 2520, is: 5)
      #expect(log.forEachPatch(after: 0) { _, _ in } == .damaged("revision 1 is missing"))
    }
  }

  private func count(_ log: some JournalStorage, after revision: Int, is expected: Int) {
    var count = 0
    _ = log.forEachPatch(after: revision) { _, _ in count += 1 }
    #expect(count == expected)
  }
}

private struct Paging: LogLaw {
  func hold<Kept: JournalStorage>(for source: LogSource<Kept>) throws {
    try source.with { log in
      try log.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "x")
      #expect(try log.revisions(after: nil, limit: 5, Retention()).oldest == 1)
      try log.append(revisions(1...20))
      #expect(try log.revisions(after: nil, limit: 3, Retention()).revisions == revisions(1...3))
      #expect(try log.revisions(after: 18, limit: 3, Retention()).revisions == revisions(19...20))
      #expect(try log.revisions(after: 20, limit: 3, Retention()).revisions == [])
      let last = try log.revisions(after: nil, limit: 100, Retention(revisions: 4))
      #expect(last.revisions == revisions(17...20))
      #expect(last.oldest == 17)
    }
  }
}
