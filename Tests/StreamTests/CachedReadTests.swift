import BinderyCore
import BinderyDigest
import BinderyTestKit
import BindingLaws
import Testing

/// What an event loop knows of the places that it has read before.
struct CachedReadTests {
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a loop that has read a place before responds like a new one`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let key = DigestKey.random()
    let store = Store(Tower())
    let loop = MemoryLoop(store, key: key)
    var tags: [String: String] = [:]
    var saved: [Identified<Floor>] = []
    for _ in 0..<300 {
      let change = Tower.change(&random, saved)
      store.post(change)
      if Int.random(in: 0..<10, using: &random) == 0 { saved.append(store.snapshot.root.floors) }
      let new = MemoryLoop(store, key: key)
      for _ in 0..<8 {
        let path = Tower.paths.randomElement(using: &random) ?? "/state"
        let request: Request =
          switch Int.random(in: 0..<6, using: &random) {
          case 0: Request("HEAD", path)
          case 1: Request("GET", path, fields: [(name: "If-None-Match", value: tags[path] ?? "\"none\"")])
          default: Request("GET", path)
          }
        let (expected, reply) = (try new.send(request), try loop.send(request))
        #expect(reply.status == expected.status, "\(request)")
        #expect(reply.body == expected.body, "\(request)")
        #expect(stableFields(reply) == stableFields(expected), "\(request)")
        tags[path] = reply.etag
      }
    }
  }

  private func stableFields(_ reply: Reply) -> [String] {
    reply.fields.filter { $0.name != "Date" }.map { "\($0)" }
  }
}

/// Collections in collections, reached directly, through getters, an optional and a dictionary.
private struct Tower: StateModel {
  var floors: Identified<Floor> = [Floor(id: 1), Floor(id: 2)]
  var spare: Identified<Floor>?
  var isSpareShown = false
  var note = ""
  var annexes = ["east": Floor(id: 1)]

  /// The elements of one of two collections, which may have the same ids.
  var shown: Identified<Floor> { isSpareShown ? spare ?? [] : floors }
  /// Elements that are created by each call.
  var names: Identified<Lamp> { Identified(uniquing: floors.map { Lamp(id: $0.id, watts: $0.name.count) }) }

  static let shape = EditableShape<Tower>.members(
    Tower.init(floors:spare:isSpareShown:note:annexes:), StoredMember("floors", \.floors),
    StoredMember("spare", \.spare), StoredMember("isSpareShown", \.isSpareShown), StoredMember("note", \.note),
    StoredMember("annexes", \.annexes),
    computed: [ComputedMember("shown", readOnly: \.shown), ComputedMember("names", readOnly: \.names)])

  static let paths =
    ["/state", "/state/note", "/state/names/1", "/state/annexes/east/lamps/1", "/state/annexes/east/power"]
    + ["/floors", "/spare", "/shown"].flatMap { floors in placesInFloors.map { "/state" + floors + $0 } }

  private static let placesInFloors = [
    "", "/1", "/2", "/1/name", "/1/lamps", "/1/lamps/1", "/1/lamps/2/watts", "/2/lamps/1", "/1/sign/watts", "/1/power",
  ]

  /// Returns a random change.
  ///
  /// - Parameter saved: Earlier values of `floors`.
  static func change(
    _ random: inout SeededGenerator, _ saved: [Identified<Floor>]
  ) -> @Sendable (inout Tower) -> Void {
    let (floor, lamp) = (Int.random(in: 1...2, using: &random), Int.random(in: 1...2, using: &random))
    let number = Int.random(in: 0..<100, using: &random)
    let old = saved.randomElement(using: &random)
    return switch Int.random(in: 0..<14, using: &random) {
    case 0: { $0.floors.edit(id: floor) { $0.lamps.edit(id: lamp) { $0.watts = number } } }
    case 1: { $0.floors.edit(id: floor) { $0.name = "floor \(number)" } }
    case 2: { $0.floors.edit(id: floor) { $0.lamps.remove(id: lamp) } }
    case 3: { $0.floors.edit(id: floor) { try? $0.lamps.insert(Lamp(id: lamp, watts: number), at: 0) } }
    case 4: { $0.floors.edit(id: floor) { $0.lamps.move(id: lamp, to: 0) } }
    case 5: { $0.floors.move(id: floor, to: number % 2) }
    case 6: { $0.floors.edit(id: floor) { $0.sign = number % 3 == 0 ? nil : Lamp(id: 1, watts: number) } }
    case 7: { $0.floors.remove(id: floor) }
    case 8: { try? $0.floors.insert(Floor(id: floor), at: 0) }
    case 9: { $0.spare = number % 4 == 0 ? nil : $0.floors }
    case 10: { $0.isSpareShown.toggle() }
    case 11: { $0.note += "." }
    case 12: { $0.annexes["east"]?.lamps.edit(id: lamp) { $0.watts = number } }
    default: { $0.floors = old ?? Identified(uniquing: Array($0.floors)) }
    }
  }
}

private struct Floor: Identifiable, Editable {
  let id: Int
  var name = "floor"
  var lamps: Identified<Lamp> = [Lamp(id: 1, watts: 40), Lamp(id: 2, watts: 60)]
  var sign: Lamp?

  var power: Int { lamps.reduce(sign?.watts ?? 0) { $0 + $1.watts } }

  static let shape = EditableShape<Floor>.members(
    Floor.init(id:name:lamps:sign:), StoredMember("id", id: \.id), StoredMember("name", \.name),
    StoredMember("lamps", \.lamps), StoredMember("sign", \.sign),
    computed: [ComputedMember("power", readOnly: \.power)])
}

private struct Lamp: Identifiable, Editable {
  let id: Int
  var watts: Int

  static let shape = EditableShape<Lamp>.members(
    Lamp.init(id:watts:), StoredMember("id", id: \.id), StoredMember("watts", \.watts))
}
