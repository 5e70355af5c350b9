import BinderyCore
import BinderyJournal
import BinderyMenu
import BinderySQLite
import BinderyTestKit
import Foundation
import Synchronization
import Testing

/// What is left when the power goes: `kill -9` alone proves nothing about fsync.
@Suite(.serialized)
struct PowerLossTests {
  /// A write that was acknowledged, and how long the record was then.
  private struct Acknowledged {
    let number: Int
    let revision: Int
    let recordLength: Int
  }

  /// A run of a server, recorded.
  private struct Run {
    let folder: String
    let events: [DiskImage.Event]
    let acknowledged: [Acknowledged]
  }

  /// Writes until there are snapshots and the journal has begun anew; each commit replaces a block of dishes, and says
  /// its number in two places.
  private func record(commits: Int) throws -> Run {
    let (folder, tools) = (try Folder(), try Folder())
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
        Acknowledged(number: number, revision: try #require(reply.revision), recordLength: disk.length))
    }
    server.kill()
    return Run(folder: folder.path, events: try DiskImage.Event.read(disk.record), acknowledged: acknowledged)
  }

  private static func id(_ number: Int, _ dish: Int) -> String {
    let digits = String(number * 100 + dish)
    return "00000000-0000-8000-9000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  /// What a store on a disk after a power cut was found to be.
  private enum Finding: Equatable {
    case whole(number: Int?, revision: Int)
    case half(String)
    case unreadable(String)
  }

  private func open(_ files: [String: [UInt8]], of folder: String) throws -> Finding {
    let copy = try Folder()
    for (path, bytes) in files where path.hasPrefix(folder + "/") {
      try Data(bytes).write(to: URL(filePath: copy.path + path.dropFirst(folder.count)))
    }
    do {
      let log = try SQLiteStorage(copy("store.db"))
      defer { log.close() }
      guard let recovery = try Recovery<Menu>(of: log) else { return .whole(number: nil, revision: 0) }
      let dishes = recovery.root.dishes
      guard let marked = dishes.first(where: { $0.id.keyText == Ledger.id(of: 1) }) else {
        return .whole(number: nil, revision: recovery.revision)
      }
      guard let number = Int(marked.name.dropFirst("dish ".count)), marked.status == .inStock(quantity: number + 1),
        number == 0 || dishes.suffix(20).map(\.id.keyText) == (0..<20).map({ Self.id(number, $0) })
      else { return .half("\(marked)") }
      return .whole(number: number, revision: recovery.revision)
    } catch {
      return .unreadable("\(error)")
    }
  }

  /// Cuts the power at many moments and tells each that breaks a promise.
  private func broken(_ run: Run, cuts: Int, isLying: Bool = false) throws -> [String] {
    var random = SeededGenerator(seed: 21)
    let chosen = Set((0..<cuts).map { _ in Int.random(in: run.events.indices, using: &random) })
    var image = DiskImage(of: run.folder, isLying: isLying)
    var broken: [String] = []
    for (index, event) in run.events.enumerated() {
      image.apply(event)
      guard chosen.contains(index) else { continue }
      let promised = run.acknowledged.last { $0.recordLength <= event.end }
      for luck in DiskImage.Luck.allCases {
        let finding = try open(image.files(luck, using: &random), of: run.folder)
        if case .whole(let number, let revision) = finding,
          (number ?? 0) >= promised?.number ?? 0, revision >= promised?.revision ?? 0
        {
          continue
        }
        broken.append("after event \(index), \(luck): \(finding), and \(promised?.number ?? 0) was acknowledged")
      }
    }
    return broken
  }

  @Test(.timeLimit(.minutes(10)))
  func `whenever the power goes, what was acknowledged is there, whole`() throws {
    let run = try record(commits: 260)
    let writes = run.events.filter { $0.path.hasSuffix("store.db") }
    #expect(writes.count > 50, "the journal was never brought into the database")
    #expect(try broken(run, cuts: 50) == [])
    // The same record on a disk that does not wait: were the laws above not looked at, this would pass too.
    #expect(try broken(run, cuts: 8, isLying: true) != [])
  }
}
