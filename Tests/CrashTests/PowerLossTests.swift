import BinderyCore
import BinderyJournal
import BinderyMenu
import BinderySQLite
import BinderyTestKit
import BindingLaws
import Foundation
import Synchronization
import Testing

/// Recovery after a power failure.
///
/// Tests with `kill -9` prove nothing about fsync, because the page cache outlives the process.
@Suite(.serialized)
struct PowerLossTests {
  /// A write that the server acknowledged.
  private struct Acknowledged {
    let number: Int
    let revision: Int
    /// The length of the disk record in bytes when the acknowledgment arrived.
    let recordLength: Int
  }

  /// The record of a server run.
  private struct Run {
    let folder: String
    let events: [DiskImage.Event]
    let acknowledged: [Acknowledged]
  }

  /// Runs a server and records its writes to the disk.
  ///
  /// Each commit replaces a block of dishes and writes its number in two places, so that a partial commit is
  /// detected.
  ///
  /// - Parameter commits: Enough of them make the server write snapshots and checkpoint its WAL file.
  private func record(commits: Int) throws -> Run {
    let (folder, tools) = (try TemporaryFolder(), try TemporaryFolder())
    let disk = try FaultyDisk(for: folder.path, toolsIn: tools)
    let server = try Server(store: folder("store.db"), environment: disk.environment)
    let client = try server.client
    _ = try client.put(Ledger.path(of: 1), Ledger.dish(of: 1, 0))
    var acknowledged: [Acknowledged] = []
    for number in 1...commits {
      var patch: [String] = [
        #"{"op":"replace","path":"/dishes/\#(Ledger.id(of: 1))/name","value":"dish \#(number)"}"#,
        #"{"op":"replace","path":"/dishes/\#(Ledger.id(of: 1))/status","value":{"inStock":{"quantity":\#(number + 1)}}}"#,
      ]
      for dish in 0..<20 {
        if number > 1 { patch.append(#"{"op":"remove","path":"/dishes/\#(Self.id(number - 1, dish))"}"#) }
        let name = String(repeating: "\(number) ", count: 30).prefix(95)
        patch.append(
          #"{"op":"add","path":"/dishes/-","value":{"id":"\#(Self.id(number, dish))","name":"\#(name)"}}"#)
      }
      let reply = try client.jsonPatch("/state", "[\(patch.joined(separator: ","))]")
      #expect(reply.status == 200, "\(reply)")
      acknowledged.append(
        Acknowledged(number: number, revision: try #require(reply.revision), recordLength: disk.recordLength))
    }
    server.kill()
    return Run(folder: folder.path, events: try DiskImage.Event.read(disk.recordPath), acknowledged: acknowledged)
  }

  /// Returns the ID of a dish that commit `number` inserts.
  private static func id(_ number: Int, _ dish: Int) -> String {
    let digits = String(number * 100 + dish)
    return "00000000-0000-8000-9000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  /// The result of opening a store after a power failure.
  private enum RecoveryResult: Equatable {
    /// The state is that of a commit; the number is nil before the first one.
    case consistent(number: Int?, revision: Int)
    /// The state contains only a part of a commit.
    case partial(String)
    case unreadable(String)
  }

  /// Opens a copy of the store made of the files that survived.
  private func recover(_ files: [String: [UInt8]], of folder: String) throws -> RecoveryResult {
    let copy = try TemporaryFolder()
    for (path, bytes) in files where path.hasPrefix(folder + "/") {
      try Data(bytes).write(to: URL(filePath: copy.path + path.dropFirst(folder.count)))
    }
    do {
      let storage = try SQLiteStorage(copy("store.db"))
      defer { storage.close() }
      guard let recovery = try Recovery<Menu>(of: storage) else { return .consistent(number: nil, revision: 0) }
      let dishes = recovery.root.dishes
      guard let marked = dishes.first(where: { $0.id.keyText == Ledger.id(of: 1) }) else {
        return .consistent(number: nil, revision: recovery.revision)
      }
      guard let number = Int(marked.name.dropFirst("dish ".count)), marked.status == .inStock(quantity: number + 1),
        number == 0 || dishes.suffix(20).map(\.id.keyText) == (0..<20).map({ Self.id(number, $0) })
      else { return .partial("\(marked)") }
      return .consistent(number: number, revision: recovery.revision)
    } catch {
      return .unreadable("\(error)")
    }
  }

  /// Simulates power failures at random moments of a run.
  ///
  /// - Returns: A description of each failure that lost an acknowledged commit or left an inconsistent store.
  private func violations(in run: Run, failures: Int, ignoresSync: Bool = false) throws -> [String] {
    var random = SeededGenerator(seed: 21)
    let chosen = Set((0..<failures).map { _ in Int.random(in: run.events.indices, using: &random) })
    var image = DiskImage(of: run.folder, ignoresSync: ignoresSync)
    var violations: [String] = []
    for (index, event) in run.events.enumerated() {
      image.apply(event)
      guard chosen.contains(index) else { continue }
      let acknowledged = run.acknowledged.last { $0.recordLength <= event.recordEnd }
      for unsynced in DiskImage.UnsyncedChanges.allCases {
        let result = try recover(image.files(unsynced, using: &random), of: run.folder)
        if case .consistent(let number, let revision) = result,
          (number ?? 0) >= acknowledged?.number ?? 0, revision >= acknowledged?.revision ?? 0
        {
          continue
        }
        violations.append(
          "after event \(index), unsynced changes \(unsynced): \(result); "
            + "\(acknowledged?.number ?? 0) was acknowledged")
      }
    }
    return violations
  }

  @Test(.timeLimit(.minutes(10)))
  func `a power failure at any moment loses no acknowledged commit and leaves no partial one`() throws {
    let run = try record(commits: 260)
    let writes = run.events.filter { $0.path.hasSuffix("store.db") }
    #expect(writes.count > 50, "the WAL file was never checkpointed into the database")
    #expect(try violations(in: run, failures: 20) == [])
    // Control experiment: on a disk that ignores fsync the same run must show violations.
    #expect(try violations(in: run, failures: 8, ignoresSync: true) != [])
  }
}
