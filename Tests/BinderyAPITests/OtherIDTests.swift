import BinderyCore
import BinderyTestKit
import Testing

/// A `PUT` of an entry or of an enum does not depend on the id of the value that it replaces.
struct OtherIDTests {
  private static let oven = #"{"id":"a","name":"Oven"}"#
  private static let lamp = #"{"id":"b","name":"Lamp"}"#

  @Test(
    arguments: ["\"closed\"", #"{"editing":\#(oven)}"#, #"{"lending":{"device":\#(oven)}}"#], TestTransport.allCases)
  func `a PUT of an enum replaces a payload that has another id`(_ before: String, _ transport: TestTransport) throws {
    try transport.serve(Workbench()) { client, store throws in
      for sheet in [#"{"editing":\#(Self.lamp)}"#, #"{"lending":{"device":\#(Self.lamp)}}"#] {
        for path in ["/sheet", "/last"] {
          #expect(try client.put("/state" + path, before).status == 200)
          #expect(try client.put("/state" + path, sheet).text == sheet, "\(path)")
          // The same write through the whole state.
          #expect(try client.put("/state" + path, before).status == 200)
          let state = try client.text("/state").replacing(before, with: sheet)
          #expect(try client.put("/state", state).text == state, "\(path)")
        }
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a PUT of a payload replaces one that has another id`(_ transport: TestTransport) throws {
    try transport.serve(Workbench(sheet: .editing(.oven), last: .lending(device: .oven))) { client, store throws in
      #expect(try client.put("/state/sheet/editing", Self.lamp).text == Self.lamp)
      #expect(store.snapshot.root.sheet.device?.note == nil, "the hidden member of another device")
      #expect(try client.put("/state/last/lending/device", Self.lamp).text == Self.lamp)
      #expect(try client.put("/state/last/lending", #"{"device":\#(Self.oven)}"#).status == 200)
      #expect(try client.patch("/state/sheet/editing", #"{"id":"c"}"#).outcome == "422 read-only-member")
      #expect(try client.patch("/state/sheet", #"{"editing":{"id":"c"}}"#).outcome == "422 read-only-member")
      #expect(try client.put("/state/sheet/editing", #"{"id":"c"}"#).outcome == "422 missing-member")
      for operation in ["replace", "add"] {
        let device = #"{"id":"\#(operation)","name":"x"}"#
        let patch = #"[{"op":"\#(operation)","path":"/sheet/editing","value":\#(device)}]"#
        #expect(try client.jsonPatch("/state", patch).status == 200)
        #expect(try client.text("/state/sheet/editing") == device)
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a PUT of a payload with the same id keeps its hidden members`(_ transport: TestTransport) throws {
    try transport.serve(Workbench(sheet: .editing(.oven))) { client, store throws in
      let renamed = Self.oven.replacing("Oven", with: "Stove")
      #expect(try client.put("/state/sheet", #"{"editing":\#(renamed)}"#).status == 200)
      #expect(store.snapshot.root.sheet.device == Device(id: "a", name: "Stove", note: "hot"))
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a PUT of an entry and of its dictionary agree on another id`(_ transport: TestTransport) throws {
    let kept = ["k": Device.oven, "other": .oven]
    for (path, body) in [
      ("/state/spare/k", Self.lamp), ("/state/spare", #"{"k":\#(Self.lamp),"other":\#(Self.oven)}"#),
    ] {
      try transport.serve(Workbench(spare: kept)) { client, store throws in
        #expect(try client.put(path, body).status == 200)
        #expect(store.snapshot.root.spare == ["k": Device(id: "b", name: "Lamp"), "other": .oven])
        #expect(try client.patch("/state/spare/k", #"{"id":"c"}"#).outcome == "422 read-only-member")
      }
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `the id of an element cannot be replaced`(_ transport: TestTransport) throws {
    try transport.serve(Workbench(devices: [.oven])) { client, _ throws in
      #expect(try client.put("/state/devices/a", Self.lamp).outcome == "422 read-only-member")
      let patch = #"[{"op":"replace","path":"/devices/a","value":\#(Self.lamp)}]"#
      let reply = try client.jsonPatch("/state", patch)
      #expect(reply.outcome == "422 read-only-member", "\(reply)")
    }
  }

  @Test(arguments: TestTransport.allCases)
  func `a JSON Patch replaces an element of an array by one with another id`(_ transport: TestTransport) throws {
    try transport.serve(Workbench(stack: [.oven, .oven])) { client, store throws in
      let patch = #"[{"op":"replace","path":"/stack/1","value":\#(Self.lamp)}]"#
      #expect(try client.jsonPatch("/state", patch).status == 200)
      #expect(store.snapshot.root.stack == [.oven, Device(id: "b", name: "Lamp")])
    }
  }

  @Test func `a replacement by a value with another id is recorded, and a revert restores the old value`() throws {
    let before = Workbench(sheet: .editing(.oven), last: .lending(device: .oven), spare: ["k": .oven])
    for (path, body) in [
      ("/sheet/editing", Self.lamp), ("/sheet", #"{"editing":\#(Self.lamp)}"#), ("/last/lending/device", Self.lamp),
      ("/spare/k", Self.lamp),
    ] {
      try TestTransport.socket.serve(before) { client, store throws in
        let reply = try client.put("/state" + path, body)
        #expect(reply.changed == true && reply.revision == 1, "\(path)")
        #expect(!Workbench.shape.areSame(store.snapshot.root, before))
        #expect(try client.post("/history/1/revert", "").status == 200)
        // A revert also restores the hidden member.
        #expect(Workbench.shape.areSame(store.snapshot.root, before), "\(path)")
      }
    }
  }
}

private struct Workbench: StateModel {
  var sheet = Sheet.closed
  var last: Sheet?
  var spare: [String: Device] = [:]
  var devices: Identified<Device> = []
  var stack: [Device] = []

  static let shape = EditableShape<Workbench>.members(
    Workbench.init, StoredMember("sheet", \.sheet), StoredMember("last", \.last), StoredMember("spare", \.spare),
    StoredMember("devices", \.devices), StoredMember("stack", \.stack))
}

private enum Sheet: Editable {
  case closed
  case editing(Device)
  case lending(device: Device)

  var device: Device? {
    switch self {
    case .closed: nil
    case .editing(let device), .lending(let device): device
    }
  }

  static let shape = EditableShape<Sheet>.cases(
    EnumCase("closed", .closed) { if case .closed = $0 { () } else { nil } },
    EnumCase("editing", Sheet.editing) { if case .editing(let device) = $0 { device } else { nil } },
    EnumCase("lending", label: "device", Sheet.lending(device:)) {
      if case .lending(let device) = $0 { device } else { nil }
    })
}

private struct Device: Editable, Identifiable, Equatable {
  let id: String
  var name: String
  var note: String?

  static let oven = Device(id: "a", name: "Oven", note: "hot")

  static let shape = EditableShape<Device>.members(
    Device.init(id:name:note:), StoredMember("id", id: \.id), StoredMember("name", \.name),
    StoredMember(hidden: "note", \.note, default: nil))
}
