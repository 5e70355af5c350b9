import BinderyCore
import BinderyTestKit
import Testing

/// Hidden and read-only members of elements, when the collection that contains them is written as a whole.
struct KeptMembersTests {
  /// Every place that contains the rooms and what is in them.
  static let places = ["", "/floors", "/floors/1", "/floors/1/rooms", "/floors/1/rooms/11", "/staff", "/shifts"]

  @Test(arguments: TestTransport.allCases, places)
  func `what was read is sent back and changes nothing`(_ transport: TestTransport, _ place: String) throws {
    try transport.serve(Tower()) { client, store throws in
      let text = try client.text("/state" + place)
      for method in ["PUT", "PATCH"] {
        let reply = try client.send(method, "/state" + place, text)
        #expect(reply.status == 200)
        #expect(reply.changed == false, "\(method)")
      }
      let patch = #"[{"op": "replace", "path": "", "value": \#(text)}]"#
      let reply = try client.patch("/state" + place, patch, ["Content-Type": "application/json-patch+json"])
      #expect(reply.changed == false, "\(reply)")
      #expect(store.snapshot.root == Tower())
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `hidden members stay with their elements`(_ transport: TestTransport) throws {
    try transport.serve(Tower()) { client, store throws in
      let rooms = #"[{"id": 13, "name": "new", "isFireproof": true}, {"id": 11, "name": "hall", "isFireproof": false}]"#
      #expect(try client.put("/state/floors/1/rooms", rooms).status == 200)
      let floor = try #require(store.snapshot.root.floors[id: 1])
      #expect(floor.rooms.map(\.id) == [13, 11])
      #expect(floor.rooms[id: 11] == Office(id: 11, name: "hall", isFireproof: false, note: "draughty"))
      #expect(floor.rooms[id: 13]?.note == nil)
      let staff = #"{"ann": {"id": 1, "name": "Ann", "isFireproof": true}}"#
      #expect(try client.put("/state/staff", staff).status == 200)
      #expect(store.snapshot.root.staff == ["ann": Office(id: 1, name: "Ann", isFireproof: true, note: "a")])
      // Without ids, an element is recognized by its distance from the beginning or from the end.
      let shifts = #"[{"id": 9, "name": "new", "isFireproof": true}, {"id": 2, "name": "late", "isFireproof": true}]"#
      #expect(try client.put("/state/shifts", shifts).status == 200)
      #expect(store.snapshot.root.shifts.map(\.note) == [nil, "l"])
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `an element that a JSON Patch moves keeps its hidden members`(_ transport: TestTransport) throws {
    try transport.serve(Tower()) { client, store throws in
      let patch = """
        [{"op": "add", "path": "/floors/1/rooms/-", "value": {"id": 10, "name": "porch", "isFireproof": true}},
         {"op": "add", "path": "/floors/-", "value": {"id": 2, "rooms": []}},
         {"op": "move", "from": "/floors/1/rooms/11", "path": "/floors/1/rooms/-"},
         {"op": "move", "from": "/floors/1/rooms/11", "path": "/floors/2/rooms/-"},
         {"op": "move", "from": "/floors/1", "path": "/floors/-"},
         {"op": "move", "from": "/staff/ann", "path": "/staff/bob"}]
        """
      let reply = try client.patch("/state", patch, ["Content-Type": "application/json-patch+json"])
      #expect(reply.status == 200, "\(reply.text)")
      let root = store.snapshot.root
      #expect(root.floors.map(\.id) == [2, 1])
      #expect(root.floors[id: 2]?.rooms.map(\.note) == ["draughty"])
      #expect(root.floors[id: 1]?.rooms.map(\.id) == [10])
      #expect(root.staff == ["bob": Office(id: 1, name: "Ann", isFireproof: true, note: "a")])
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `an element that a JSON Patch moves to an optional keeps its hidden members`(_ transport: TestTransport) throws {
    try transport.serve(Tower()) { client, store throws in
      let json: KeyValuePairs = ["Content-Type": "application/json-patch+json"]
      let move = #"{"op": "move", "from": "/floors/1/rooms/11", "path": "/spare"}"#
      #expect(try client.patch("/state", "[\(move)]", json).status == 200)
      #expect(store.snapshot.root.spare?.note == "draughty")
      // The place has a constraint that the collection does not have.
      let hall = #"{"id": 99, "name": "hall", "isFireproof": true}"#
      let large = #"{"op": "add", "path": "/floors/1/rooms/-", "value": \#(hall)}"#
      let refused = try client.patch("/state", "[\(large), \(move.replacing("11", with: "99"))]", json)
      #expect(refused.outcome == "422 invalid-value", "\(refused)")
      #expect(refused.string("pointer") == "/1/from")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a JSON Patch cannot move an element into a full collection`(_ transport: TestTransport) throws {
    try transport.serve(Tower()) { client, store throws in
      let rooms = #"[{"id": 20, "name": "a", "isFireproof": true}, {"id": 21, "name": "b", "isFireproof": true}]"#
      let patch = """
        [{"op": "add", "path": "/floors/-", "value": {"id": 2, "rooms": \(rooms)}},
         {"op": "move", "from": "/floors/1/rooms/11", "path": "/floors/2/rooms/-"}]
        """
      let reply = try client.patch("/state", patch, ["Content-Type": "application/json-patch+json"])
      #expect(reply.status == 422)
      #expect(reply.text.contains(#""pointer":"/1/from""#), "\(reply.text)")
      #expect(store.snapshot.root == Tower())
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `an entry of a replaced dictionary may be another value`(_ transport: TestTransport) throws {
    try transport.serve(Tower()) { client, store throws in
      let other = #"{"ann": {"id": 7, "name": "Ann", "isFireproof": false}}"#
      #expect(try client.put("/state/staff", other).status == 200)
      #expect(store.snapshot.root.staff == ["ann": Office(id: 7, name: "Ann", isFireproof: false)])
      // A merge edits the entry, whose id cannot change.
      #expect(try client.patch("/state/staff", #"{"ann": {"id": 8}}"#).status == 422)
    }
  }

  @Test func `the getters of a replaced collection are charged as one`() throws {
    var tower = Tower()
    for number in 1...200 { tower.staff["\(number)"] = Office(id: number, name: "\(number)", isFireproof: true) }
    try TestTransport.memory.serve(tower) { client, _ throws in
      let staff = try client.text("/state/staff")
      let patch = """
        [{"op": "replace", "path": "/staff", "value": \(staff)}, {"op": "replace", "path": "/shifts", "value": []},
         {"op": "replace", "path": "/staff", "value": \(staff)}]
        """
      let reply = try client.patch("/state", patch, ["Content-Type": "application/json-patch+json"])
      #expect(reply.status == 200, "\(reply.text)")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a read-only member is compared where the operation named it`(_ transport: TestTransport) throws {
    try transport.serve(Tower()) { client, store throws in
      let json: KeyValuePairs = ["Content-Type": "application/json-patch+json"]
      // The second element, which is moved to the place of the first one, has this value.
      let replace =
        #"{"op": "replace", "path": "/shifts/0", "value": {"id": 1, "name": "early", "isFireproof": true}}"#
      let move = #"{"op": "move", "from": "/shifts/1", "path": "/shifts/0"}"#
      let reply = try client.patch("/state", "[\(replace), \(move)]", json)
      #expect(reply.status == 422)
      #expect(reply.string("pointer") == "/0/value/isFireproof", "\(reply.text)")
      #expect(store.snapshot.root == Tower())
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a read-only member of an element cannot be replaced with its collection`(_ transport: TestTransport) throws {
    try transport.serve(Tower()) { client, store throws in
      let room = #"{"id": 11, "name": "lobby", "isFireproof": true}"#
      let refused = try client.put("/state/floors/1/rooms", "[\(room)]")
      #expect(refused.status == 422)
      #expect(refused.text.contains(#""pointer":"/0/isFireproof""#), "\(refused.text)")
      for (method, path, body) in [
        ("PATCH", "/floors/1", #"{"rooms": [\#(room)]}"#),
        ("PATCH", "/floors", #"[{"id": 1, "rooms": [\#(room)]}]"#),
        ("PUT", "/staff", #"{"ann": {"id": 1, "name": "Ann", "isFireproof": false}}"#),
        ("PATCH", "/staff", #"{"ann": {"isFireproof": false}}"#),
      ] {
        #expect(try client.send(method, "/state" + path, body).status == 422, "\(method) \(path)")
      }
      #expect(store.snapshot.root == Tower())
    }
  }
}

private struct Tower: StateModel, Equatable {
  var floors = Identified(uniquing: [
    Storey(id: 1, rooms: Identified(uniquing: [Office(id: 11, name: "lobby", isFireproof: false, note: "draughty")]))
  ])
  var staff = ["ann": Office(id: 1, name: "Ann", isFireproof: true, note: "a")]
  var shifts = [
    Office(id: 1, name: "early", isFireproof: false, note: "e"),
    Office(id: 2, name: "late", isFireproof: true, note: "l"),
  ]
  var spare: Office?

  static let shape = EditableShape<Tower>.members(
    Tower.init(floors:staff:shifts:spare:), StoredMember("floors", \.floors), StoredMember("staff", \.staff),
    StoredMember("shifts", \.shifts),
    StoredMember("spare", \.spare, Constraint("an office with an id below 50") { ($0?.id ?? 0) < 50 }))

  static func == (a: Tower, b: Tower) -> Bool {
    a.floors.elementsEqual(b.floors) && a.staff == b.staff && a.shifts == b.shifts && a.spare == b.spare
  }
}

private struct Storey: Identifiable, Editable, Equatable {
  let id: Int
  var rooms: Identified<Office>

  static let shape = EditableShape<Storey>.members(
    Storey.init(id:rooms:), StoredMember("id", id: \.id), StoredMember("rooms", \.rooms, .count(0...2)))

  static func == (a: Storey, b: Storey) -> Bool { a.id == b.id && a.rooms.elementsEqual(b.rooms) }
}

private struct Office: Identifiable, Editable, Equatable {
  let id: Int
  var name: String
  var isFireproof: Bool
  var note: String?
  /// Computed from a hidden member, so that a new element has another value.
  var isNoted: Bool { note != nil }
  var noteOrName: String {
    get { note ?? name }
    set { note = newValue }
  }

  static let shape = EditableShape<Office>.members(
    Office.init(id:name:isFireproof:note:), StoredMember("id", id: \.id), StoredMember("name", \.name),
    StoredMember("isFireproof", readOnly: \.isFireproof), StoredMember(hidden: "note", \.note, default: nil),
    computed: [
      ComputedMember("isNoted", readOnly: \.isNoted, from: \.note),
      ComputedMember("noteOrName", \.noteOrName, from: \.note, \.name),
    ])
}
