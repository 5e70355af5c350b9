import BinderyCore
import BinderyJSON
import BinderyMenu
import BinderyTestKit
import BindingLaws
import Foundation
import Testing

/// The patches of a stream are applied by libraries that know RFC 6902 only.
struct PatchLibraryTests {
  /// Returns one line per patch event: the value before, the patch, and the value after, as the server sends them.
  private func record<Root: StateModel>(
    _ root: Root, _ target: String, steps: Int, _ change: (inout Root, inout SeededGenerator) -> Void
  ) throws -> (lines: String, operations: String) {
    var random = SeededGenerator(seed: 7)
    let loop = MemoryLoop(Store(root))
    let stream = loop.listen(target + "?as=patch")
    var before = try #require(stream.takeData().first)
    var (lines, operations) = ("", "")
    for _ in 0..<steps {
      loop.commit { change(&$0, &random) }
      guard let event = stream.take().first else { continue }
      #expect(event.type == "patch")
      let after = try loop.text(target)
      lines += "{\"before\":\(before),\"patch\":\(event.data),\"after\":\(after)}\n"
      operations += event.data
      before = after
    }
    return (lines, operations)
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Support")

  /// Runs a program with a text as its standard input.
  static func run(_ program: String, _ arguments: [String], input: String) throws {
    let result = try ChildProcess.run(program, arguments, input: input)
    #expect(result.code == 0, "\(result.errors)")
  }

  /// Changes of nested lists, dictionaries, optionals and enums: inserts, removals, moves and edits together.
  private func recordChanges() throws -> (lines: String, operations: String) {
    let pantry = try record(Pantry(), "/state", steps: 600) { $0.change(&$1) }
    let menu = try record(MenuFixture.initial, "/state", steps: 200) { menu, random in
      let dish = Dish(id: UUID(), name: "New", isFavorite: random.chance(50), status: .inStock(quantity: 1))
      switch Int.random(in: 0..<5, using: &random) {
      case 0: _ = try? menu.dishes.insert(dish, at: Int.random(in: 0...menu.dishes.count, using: &random))
      case 1: menu.dishes.remove(at: Int.random(in: 0..<8, using: &random))
      case 2: menu.dishes = Identified(uniquing: menu.dishes.shuffled(using: &random))
      case 3: menu.dishes.edit(at: Int.random(in: 0..<4, using: &random)) { $0.isFavorite.toggle() }
      default: menu.selectedDay = menu.today.advanced(by: Int.random(in: 0..<5, using: &random))
      }
    }
    return (pantry.lines + menu.lines, pantry.operations + menu.operations)
  }

  @Test func `patches have array indices and every kind of operation`() throws {
    let (lines, operations) = try recordChanges()
    for name in ["add", "remove", "replace", "move"] { #expect(operations.contains("\"op\":\"\(name)\"")) }
    #expect(!operations.contains("\"at\":"))
    for line in lines.split(separator: "\n") {
      let document = try JSONTree(parsing: String(line))
      var value = try #require(document["before"])
      try value.apply(patch: try #require(document["patch"]).text, .indices)
      #expect(value.text == document["after"]?.text)
    }
  }

  @Test func `the Python library jsonpatch applies the patches`() throws {
    // The library takes the key “-” of a dictionary for the end of an array.
    let lines = try recordChanges().lines.split(separator: "\n").filter { !$0.contains("/labels/-\"") }
    #expect(lines.count > 500)
    let script = Self.folder.appending(path: "apply-patches.py").path
    try Self.run("/usr/bin/python3", [script], input: lines.joined(separator: "\n"))
  }

  @Test func `the C++ library nlohmann json applies the patches`() throws {
    let program = FileManager.default.temporaryDirectory.appending(path: "apply-patches-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: program) }
    let source = Self.folder.appending(path: "apply-patches.cc").path
    try Self.run("/usr/bin/env", ["clang++", "-std=c++17", "-w", "-o", program, source], input: "")
    try Self.run(program, [], input: recordChanges().lines)
  }

  @Test func `with ids the pointers name elements by id, and positions are separate`() throws {
    let loop = MenuFixture.loop()
    let stream = loop.listen("/state/dishes?as=patch&ids")
    var value = try JSONTree(parsing: try #require(stream.takeData().first))
    let id = "b10de400-0000-8000-8000-0000000000ff"
    let added = Dish(id: UUID(uuidString: id)!, name: "Bread", isFavorite: false, status: .inStock(quantity: 1))
    let commits: [(expected: String, change: (inout Menu) -> Void)] = [
      (
        """
        [{"op":"add","path":"/\(id)","at":1,"value":{"id":"\(id)","name":"Bread","isFavorite":false,\
        "status":{"inStock":{"quantity":1}}}}]
        """, { _ = try? $0.dishes.insert(added, at: 1) }
      ),
      (#"[{"op":"move","from":"/\#(id)","path":"/\#(id)","at":0}]"#, { $0.dishes.move(id: added.id, to: 0) }),
      (
        #"[{"op":"replace","path":"/\#(id)/isFavorite","value":true}]"#,
        { $0.dishes.edit(at: 0) { $0.isFavorite = true } }
      ),
      (#"[{"op":"remove","path":"/\#(id)"}]"#, { $0.dishes.remove(at: 0) }),
    ]
    for (expected, change) in commits {
      loop.commit(change)
      let event = try #require(stream.take().first)
      #expect(event.data == expected)
      try value.apply(patch: event.data, .ids)
      #expect(value.text == (try loop.text("/state/dishes")))
    }
  }
}
