import BinderyCore
import BinderyTestKit
import BindingLaws

/// A model with every kind of place that a stream can watch, and random changes of it.
struct Pantry: StateModel {
  var shelves: Identified<Shelf> = []
  var spare: Shelf?
  var labels: [String: String] = [:]
  var mode = Mode.closed
  var count = 0
  /// A hidden member that a computed member depends on.
  var offset = 0
  var draft: String?? = .none

  var top: Shelf? { shelves.first }
  var jars: Identified<Jar> { shelves.first?.jars ?? [] }
  var total: Int { shelves.reduce(0) { $0 + $1.jars.reduce(0) { $0 + $1.amount } } }
  var hint: String { if case .open(let hours) = mode { "\(hours.from + offset)" } else { "closed \(offset)" } }

  static let shape = EditableShape<Pantry>.members(
    Pantry.init(shelves:spare:labels:mode:count:offset:draft:), StoredMember("shelves", \.shelves),
    StoredMember("spare", \.spare),
    StoredMember("labels", \.labels), StoredMember("mode", \.mode), StoredMember("count", \.count),
    StoredMember(hidden: "offset", \.offset, default: 0), StoredMember("draft", \.draft),
    computed: [
      ComputedMember("top", readOnly: \.top, from: \.shelves),
      ComputedMember("jars", readOnly: \.jars, from: \.shelves),
      ComputedMember("total", readOnly: \.total, from: \.shelves), ComputedMember("hint", readOnly: \.hint),
    ])
}

struct Shelf: Editable, Identifiable {
  let id: String
  var note: String?
  var jars: Identified<Jar>

  var isFull: Bool { jars.count > 2 }

  static let shape = EditableShape<Shelf>.members(
    Shelf.init, StoredMember("id", id: \.id), StoredMember("note", \.note), StoredMember("jars", \.jars),
    computed: [ComputedMember("isFull", readOnly: \.isFull, from: \.jars)])
}

struct Jar: Editable, Identifiable {
  let id: Int
  var amount: Int

  static let shape = EditableShape<Jar>.members(
    Jar.init, StoredMember("id", id: \.id), StoredMember("amount", \.amount))
}

enum Mode: Editable, Equatable {
  case closed
  case open(Hours)
  case cleaning(by: String)

  static let shape = EditableShape<Mode>.cases(
    EnumCase("closed", Mode.closed),
    EnumCase("open", Mode.open) { if case .open(let hours) = $0 { hours } else { nil } },
    EnumCase("cleaning", label: "by", Mode.cleaning(by:)) { if case .cleaning(let name) = $0 { name } else { nil } })
}

struct Hours: Editable, Equatable {
  var from: Int
  var to: Int?

  static let shape = EditableShape<Hours>.members(Hours.init, StoredMember("from", \.from), StoredMember("to", \.to))
}

extension Pantry {
  /// Ids that code could mistake for something else: an index, the end position, a step name, both normal forms.
  static let ids = ["0", "-", "some", "caf\u{E9}", "cafe\u{301}", "a/b~c d%&", "x1", "x2", "x3", "x4", "x5", "x6"]

  /// Paths of every kind of place, which exist at times.
  ///
  /// So many of them are below one list that the store compares the list as a whole instead of element by element.
  static let paths: [String] =
    [
      "", "/shelves", "/spare", "/spare/note", "/spare/jars/1/amount", "/labels", "/mode", "/mode/open",
      "/mode/open/to",
      "/mode/cleaning", "/mode/cleaning/by", "/count", "/draft", "/draft/some", "/top", "/top/note", "/top/jars/2",
      "/jars", "/jars/1/amount", "/total", "/hint", "/shelves/x1/isFull", "/shelves/x1/jars/1",
      "/shelves/0/jars/2/amount",
    ] + ids.map { "/shelves/\(escaped($0))" } + ids.prefix(6).map { "/labels/\(escaped($0))" }

  private static func escaped(_ id: String) -> String { id.replacing("~", with: "~0").replacing("/", with: "~1") }

  /// Applies a random change.
  mutating func change(_ random: inout SeededGenerator) {
    let id = random.pick(Self.ids)
    switch Int.random(in: 0..<17, using: &random) {
    case 0: _ = try? shelves.append(.random(id, &random))
    case 1: _ = try? shelves.insert(.random(id, &random), at: Int.random(in: 0...shelves.count, using: &random))
    case 2: shelves.remove(id: id)
    case 3: if !shelves.isEmpty { shelves.move(id: id, to: Int.random(in: 0..<shelves.count, using: &random)) }
    case 4, 5: shelves.edit(id: id) { $0.change(&random) }
    case 6: shelves = Identified(uniquing: shelves.shuffled(using: &random))
    case 7: shelves = Identified(uniquing: (0..<6).map { _ in Shelf.random(random.pick(Self.ids), &random) })
    case 8: spare = random.chance(50) ? nil : .random(id, &random)
    case 9: spare?.change(&random)
    case 10:
      // For a Swift dictionary both normal forms are the same key, and an assignment keeps the existing spelling.
      labels[id] = nil
      if random.chance(60) { labels[id] = "\(Int.random(in: 0..<3, using: &random))" }
    case 11: mode = random.pick([.closed, .cleaning(by: "A"), .cleaning(by: "B"), .open(Hours(from: 8, to: nil))])
    case 12: mode = .open(Hours(from: Int.random(in: 6..<9, using: &random), to: random.pick([nil, 20])))
    case 13: count = Int.random(in: 0..<3, using: &random)
    case 14: offset = Int.random(in: 0..<2, using: &random)
    case 15: draft = random.pick([.none, .some(.none), .some("a"), .some("b")])
    default:
      change(&random)
      change(&random)
    }
  }
}

extension Shelf {
  static func random(_ id: String, _ random: inout SeededGenerator) -> Shelf {
    var shelf = Shelf(id: id, note: nil, jars: [])
    for _ in 0..<Int.random(in: 0..<5, using: &random) { shelf.change(&random) }
    return shelf
  }

  mutating func change(_ random: inout SeededGenerator) {
    let id = Int.random(in: 0..<5, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: note = random.pick([nil, "a", "b"])
    case 1: jars.remove(id: id)
    case 2: jars.edit(id: id) { $0.amount = Int.random(in: 0..<4, using: &random) }
    case 3: if !jars.isEmpty { jars.move(id: id, to: 0) }
    default: _ = try? jars.append(Jar(id: id, amount: Int.random(in: 0..<4, using: &random)))
    }
  }
}
