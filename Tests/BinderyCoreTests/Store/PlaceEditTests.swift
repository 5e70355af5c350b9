import BinderyCore
import Testing

/// An edit of a place checks and compares only the place if nothing else can change. These tests compare it with a
/// commit, which always checks and compares the whole state.
struct PlaceEditTests {
  @Test func `an edit of a place has the result of a commit that edits the place`() async throws {
    let places = House.places
    for number in [-1, 0, 1, 2, 5, 99, 100, 101] {
      try await compare(places.size, number)
      try await compare(places.rounded, number)
      try await compare(places.observed, number)
      try await compare(places.visits[key: "May"], number)
      try await compare(places.door.unwrapped().width, number)
      try await compare(places.door[orDefault: Door(width: 1)].width, number)
      try await compare(places.hatch[orDefault: Door(width: 1)].width, number)
      try await compare(places.gate.unwrapped().unwrapped().width, number)
      try await compare(places.narrow.unwrapped().width, number)
      try await compare(places.counts[key: "a"], number)
      try await compare(places.shed[case: Yard.lawn], number)
      try await compare(places.mirrored.width, number)
      try await compare(places.yard[case: Yard.lawn], number)
      try await compare(places.yard[case: Yard.pond], number)
      try await compare(places.rooms[id: 1].windows, number)
      try await compare(places.rooms[id: 3].windows, number)
      try await compare(places.few[id: 1].windows, number)
      try await compare(places.few, Identified(uniquing: (0..<max(number, 0)).map { Room(id: $0, windows: number) }))
      try await compare(places.rooms[id: 1], Room(id: 1, windows: number))
      try await compare(places.rooms[id: 1], Room(id: 2, windows: number))
      try await compare(places.door, number == 5 ? nil : Door(width: number))
      try await compare(places.yard, number == 5 ? .lawn(length: 2) : .pond(depth: number))
      try await compare(places, House(size: number))
    }
  }

  @Test func `only a place that is stored as it is written is local`() {
    let places = House.places
    #expect(places.isLocal && places.size.isLocal && places.visits[key: "May"].isLocal)
    #expect(places.door.unwrapped().width.isLocal && places.gate.unwrapped().unwrapped().width.isLocal)
    #expect(places.yard[case: Yard.lawn].isLocal && places.rooms[id: 1].windows.isLocal && places.few.isLocal)
    #expect(!places.rounded.isLocal && !places.observed.isLocal && !places.hatch[orDefault: Door(width: 1)].isLocal)
    #expect(!places.few[id: 1].isLocal && !places.narrow.unwrapped().width.isLocal && !places.counts[key: "a"].isLocal)
    #expect(!places.shed[case: Yard.lawn].isLocal && !places.mirrored.width.isLocal)
  }

  @Test func `an invalid value that an edit does not change is not checked`() async throws {
    var house = House()
    house.rooms.edit(id: 1) { $0.windows = 1_000 }
    let store = Store(house)
    let unchanged = try await store.edit(House.places.rooms[id: 1]) { _ in }
    #expect(!unchanged.isChanged && unchanged.outcome == .applied)
    #expect(try await !store.edit(House.places.rooms[id: 1].windows) { _ in }.isChanged)
  }

  @Test func `a refused value is named by its path`() async throws {
    let store = Store(House())
    for (place, path) in [
      (House.places.door.unwrapped().width, "/door/width"), (House.places.rooms[id: 1].windows, "/rooms/1/windows"),
      (House.places.gate.unwrapped().unwrapped().width, "/gate/some/width"),
      (House.places.yard[case: Yard.lawn], "/yard/lawn/length"),
    ] {
      let error = await #expect(throws: CommitError.self) { try await store.edit(place) { $0 = 1_000 } }
      guard case .invalid(let invalid)? = error else { return #expect(Bool(false), "\(path)") }
      #expect(invalid.pointer == path)
    }
    #expect(store.revision == 0)
  }

  /// Writes a value twice through a place, and in commits of the whole state, and compares the results.
  private func compare<Value: Equatable & Sendable>(_ place: StatePlace<House, Value>, _ value: Value) async throws {
    let (edited, committed) = (Store(House()), Store(House()))
    for _ in 0..<2 {
      let before = try? edited.read(place)
      let edit = await result { try await edited.edit(place) { $0 = value } }
      let commit = await result { try await committed.commit { try place.edit(in: &$0) { $0 = value } } }
      #expect(edit.error == commit.error, "\(place.path) = \(value)")
      #expect(edit.result?.isChanged == commit.result?.isChanged, "\(place.path) = \(value)")
      #expect(edit.result?.revision == commit.result?.revision, "\(place.path) = \(value)")
      #expect(edited.snapshot.root == committed.snapshot.root, "\(place.path) = \(value)")
      guard let outcome = edit.result?.outcome else { continue }
      let kept = try? edited.read(place)
      #expect(outcome == (kept == value ? .applied : kept == before ? .dropped : .adjusted), "\(place.path) = \(value)")
    }
  }

  private func result(
    _ body: () async throws -> CommitResult<Void>
  ) async -> (result: CommitResult<Void>?, error: String?) {
    do { return (try await body(), nil) } catch { return (nil, "\(error)") }
  }
}

private struct House: StateModel, Equatable {
  var size = 1
  var observed = 1 { didSet { observations += 1 } }
  var observations = 0
  var visits = ["May": 3]
  var door: Door? = Door(width: 1)
  var hatch: Door?
  var gate: Door?? = .some(Door(width: 1))
  var narrow: Door? = Door(width: 1)
  var counts = ["a": 1, "b": 1]
  var shed = Yard.lawn(length: 1)
  var yard = Yard.lawn(length: 1)
  var rooms = Identified(uniquing: [Room(id: 1, windows: 1), Room(id: 2, windows: 1)])
  var few = Identified(uniquing: [Room(id: 1, windows: 1)])

  /// Keeps even numbers only.
  var rounded: Int {
    get { size / 2 * 2 }
    set { size = newValue / 2 * 2 }
  }

  /// A door as wide as the house. Its setter keeps even widths only.
  var mirrored: Door {
    get { Door(width: size) }
    set { size = newValue.width / 2 * 2 }
  }

  static let shape = EditableShape<House>.members(
    House.init(size:observed:observations:visits:door:hatch:gate:narrow:counts:shed:yard:rooms:few:),
    StoredMember("size", \.size, .atMost(100)), StoredMember("observed", \.observed),
    StoredMember("observations", \.observations, .atMost(1)), StoredMember("visits", \.visits),
    StoredMember("door", \.door), StoredMember("hatch", \.hatch), StoredMember("gate", \.gate),
    StoredMember("narrow", \.narrow, Constraint("at most 9 wide") { ($0?.width ?? 0) <= 9 }),
    StoredMember("counts", \.counts, Constraint("at most 9 together") { $0.values.reduce(0, +) <= 9 }),
    StoredMember("shed", \.shed, Constraint("no long lawn") { if case .lawn(10...) = $0 { false } else { true } }),
    StoredMember("yard", \.yard),
    StoredMember("rooms", \.rooms),
    StoredMember(
      "few", \.few, Constraint("rooms with at most 9 windows") { rooms in rooms.reduce(0) { $0 + $1.windows } <= 9 }),
    computed: [
      ComputedMember("rounded", \.rounded, from: \.size), ComputedMember("mirrored", \.mirrored, from: \.size),
    ])

  init(
    size: Int, observed: Int, observations: Int, visits: [String: Int], door: Door?, hatch: Door?, gate: Door??,
    narrow: Door?, counts: [String: Int], shed: Yard, yard: Yard, rooms: Identified<Room>, few: Identified<Room>
  ) {
    (self.size, self.observed, self.observations, self.visits) = (size, observed, observations, visits)
    (self.door, self.hatch, self.gate, self.narrow, self.counts) = (door, hatch, gate, narrow, counts)
    (self.shed, self.yard, self.rooms, self.few) = (shed, yard, rooms, few)
  }

  init(size: Int = 1) { self.size = size }

  /// Keeps what was there before instead of 5, and limits the first room to 2 windows.
  mutating func settle(from base: House) throws(InvalidState) {
    if size == 5 { size = base.size }
    if let windows = rooms[id: 1]?.windows, windows == 5 { rooms.edit(id: 1) { $0.windows = 2 } }
    if visits["May"] == 99 { throw InvalidState("99 visits are too many", at: "/visits/May") }
  }
}

private struct Door: Editable, Equatable {
  var width: Int

  static let shape = EditableShape<Door>.members(Door.init, StoredMember("width", \.width, .within(0...100)))
}

private struct Room: Editable, Identifiable, Equatable {
  var id: Int
  var windows: Int

  static let shape = EditableShape<Room>.members(
    Room.init, StoredMember("id", id: \.id), StoredMember("windows", \.windows, .within(0...100)))
}

private enum Yard: Editable, Equatable {
  case lawn(length: Int)
  case pond(depth: Int)

  static let lawn = EnumCase("lawn", label: "length", Yard.lawn(length:), .within(0...100)) {
    if case .lawn(let length) = $0 { length } else { nil }
  }
  static let pond = EnumCase("pond", label: "depth", Yard.pond(depth:), .within(0...100)) {
    if case .pond(let depth) = $0 { depth } else { nil }
  }
  static let shape = EditableShape<Yard>.cases(lawn, pond)
}
