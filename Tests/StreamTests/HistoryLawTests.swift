import BinderyCore
import BinderyJSON
import BinderyMenu
import BinderyTestKit
import BindingLaws
import Foundation
import Synchronization
import Testing

/// The law of `/history`: the patch of a revision turns `GET /state?stored` of the revision before into that of the
/// revision, and the undo patch turns it back.
struct HistoryLawTests {
  /// The revisions of a store without a journal, recorded by the test.
  private final class RecordedHistory: History {
    let recorded = Mutex<[Revision]>([])

    func revisions(
      _ query: HistoryQuery, _ completion: @escaping @Sendable (Result<HistoryPage, JournalFailure>) -> Void
    ) {
      var page = HistoryPage.Builder(query)
      for next in recorded.withLock({ $0 }) { guard page.append(next) else { break } }
      completion(.success(page.finish(oldest: 1)))
    }
  }

  /// Returns the patches of a revision.
  private static func patches<Root: Sendable>(
    of revision: Int, _ query: String, _ loop: MemoryLoop<Root>
  ) throws -> (patch: String, undo: String) {
    let page = try loop.get("/history?after=\(revision - 1)&limit=1\(query)")
    let listed = try #require(page.json?["revisions"]?.elements.map { $0 }.first)
    return (
      String(decoding: try #require(listed["patch"]).text, as: UTF8.self),
      String(decoding: try #require(listed["undo"]).text, as: UTF8.self)
    )
  }

  /// Sends a patch that names elements by id to a server with a state, and checks the result.
  private static func send<Root: StateModel>(_ patch: String, to root: Root, expecting expected: JSONTree) throws {
    let loop = MemoryLoop(Store(root))
    let reply = try loop.send("PATCH", "/state", patch, ["Content-Type": "application/json-patch+json"])
    #expect(reply.status == 200, "\(patch): \(reply)")
    #expect(try loop.text("/state?stored") == expected.text, "\(patch)")
  }

  /// Commits changes one by one and checks the law for each revision.
  ///
  /// - Parameter sendsPatches: Whether a server accepts the patches: the state has no members that only Swift code sets.
  /// - Returns: One line per patch: the document before, the patch, and the document after.
  @discardableResult
  private static func check<Root: StateModel>(
    _ root: Root, sendsPatches: Bool = false, _ changes: [(inout Root) -> Void]
  ) throws -> [String] {
    var lines: [String] = []
    let history = RecordedHistory()
    let loop = MemoryLoop(Store(root), history: history)
    var last = loop.store.snapshot
    var before = try JSONTree(parsing: try loop.text("/state?stored"))
    for change in changes {
      loop.commit(change)
      let newest = loop.store.snapshot
      guard newest.revision != last.revision else { continue }
      history.recorded.withLock { $0.append(Revision(at: 0, from: last, to: newest, Root.shape)) }
      let (old, new) = (last.root, newest.root)
      last = newest
      let after = try JSONTree(parsing: try loop.text("/state?stored"))
      for (query, addressing) in [("", PatchBuilder.Addressing.indices), ("&ids", .ids)] {
        let (patch, undo) = try patches(of: newest.revision, query, loop)
        var value = before
        try value.apply(patch: patch, addressing)
        #expect(value.text == after.text, "\(patch)")
        try value.apply(patch: undo, addressing)
        #expect(value.text == before.text, "\(undo)")
        // In a request, “-” is the end of a collection, and not the element with this id.
        if addressing == .ids, sendsPatches, !(patch + undo).contains(#//-["/]/#) {
          try send(patch, to: old, expecting: after)
          try send(undo, to: new, expecting: before)
        }
        guard addressing == .indices else { continue }
        lines.append("{\"before\":\(before.text),\"patch\":\(patch),\"after\":\(after.text)}")
        lines.append("{\"before\":\(after.text),\"patch\":\(undo),\"after\":\(before.text)}")
      }
      before = after
    }
    #expect(last.revision > 10)
    return lines
  }

  @Test(arguments: 1...4) func `random changes of nested collections`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let lines = try Self.check(
      Pantry(), sendsPatches: true,
      (0..<150).map { _ in
        var generator = SeededGenerator(seed: random.next())
        return { $0.change(&generator) }
      })
    // The Python library takes the key “-” of a dictionary for the end of an array.
    try PatchLibraryTests.run(
      "/usr/bin/python3", [PatchLibraryTests.folder.appending(path: "apply-patches.py").path],
      input: lines.filter { !$0.contains("/labels/-\"") }.joined(separator: "\n"))
  }

  @Test func `changes of the menu, with computed and hidden members`() throws {
    try Self.check(
      MenuFixture.initial,
      [
        { $0.firstDish.name = "A" }, { $0.dishes.move(id: $0.dishes[3].id, to: 0) }, { $0.dishes.remove(at: 1) },
        { $0.firstDish.isFavorite.toggle() }, { $0.pinnedID = $0.dishes[0].id },
        { $0.customTimeOrDefault = $0.evening }, { $0.time = .tomorrow }, { $0.editing = .some(.none) },
        { $0.editing = .some($0.firstDish) }, { $0.editing = .none },
        { $0.dishes.move(id: $0.dishes[0].id, to: 2) },
        {
          $0.dishes.remove(at: 0)
          $0.dishes.edit(at: 1) { $0.name = "B" }
          $0.time = .tonight
        },
        { $0.dishes.remove(at: 0) },
      ])
  }
}
