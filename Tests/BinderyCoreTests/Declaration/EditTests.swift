import BinderyCore
import Testing

/// Merging, replacing and creating values by the rules of the HTTP methods.
struct EditTests {
  private var thermostat = Draft(Thermostat(celsius: 20, limit: 30, note: nil, serial: "s1"))
  private var cabinet = Draft(
    Cabinet(
      folders: [
        Folder(id: "a", notes: [Note(number: 1, text: "one", tags: []), Note(number: 2, text: "two", tags: [])])
      ],
      open: nil))
  private var layers = Draft(Layers(one: nil, two: nil, three: nil, point: nil, light: nil))

  /// Returns the error of an edit.
  private func editError(_ body: () throws -> Void) -> EditError? {
    do { try body() } catch { return error as? EditError }
    return nil
  }

  @Test mutating func `a merge writes only the named members`() throws {
    try thermostat.patch("", "{\"celsius\":25}")
    #expect(thermostat.root == Thermostat(celsius: 25, limit: 30, note: nil, serial: "s1"))
  }

  @Test mutating func `a replacement requires every writable stored member`() {
    let error = editError { try thermostat.put("", "{\"celsius\":25,\"limit\":30}") }?.invalid
    #expect(error?.code == .missingMember)
    #expect(error?.pointer == "/note")
  }

  @Test mutating func `a computed member with its old value is skipped`() throws {
    try thermostat.put(
      "", "{\"celsius\":25,\"limit\":30,\"note\":null,\"tenths\":200,\"clamped\":20,\"stubborn\":false}")
    #expect(thermostat.root.celsius == 25)
  }

  @Test mutating func `a computed member with a new value is written`() throws {
    let edit = try thermostat.patch("", "{\"tenths\":250}")
    #expect(thermostat.root.celsius == 25)
    #expect(edit.outcome == .applied)
  }

  @Test mutating func `a computed member that changes a stored one of the same request is a conflict`() {
    let error = editError { try thermostat.patch("", "{\"celsius\":25,\"tenths\":280}") }?.invalid
    #expect(error?.code == .conflictingMembers)
    #expect(error?.pointer == "/celsius")
  }

  @Test mutating func `a new value with conflicting members is rejected`() {
    let error = #expect(throws: ValidationError.self) {
      try Draft<Thermostat>(json: "{\"celsius\":25,\"tenths\":280}", .creating)
    }
    #expect(error?.code == .conflictingMembers)
  }

  @Test mutating func `the outcome reports a setter that adjusts or drops the value`() throws {
    #expect(try thermostat.patch("", "{\"clamped\":99}").outcome == .adjusted)
    #expect(thermostat.root.celsius == 30)
    #expect(try thermostat.patch("", "{\"stubborn\":true}").outcome == .dropped)
  }

  @Test mutating func `a read-only member may repeat its value`() throws {
    #expect(try thermostat.patch("", "{\"serial\":\"s1\",\"isNoted\":false}").echoes.isEmpty)
    #expect(try thermostat.patch("", "{\"note\":\"n\",\"isNoted\":true}").echoes.isEmpty)
    let edit = try thermostat.patch("", "{\"serial\":\"s2\"}")
    #expect(edit.echoes.map(\.names) == [["serial"]])
  }

  @Test mutating func `an edits-only member cannot be set while nil but its optional members can`() throws {
    #expect(
      editError { try thermostat.put("/sticker", "{\"text\":\"t\",\"color\":null}") }
        == .absent(Absence(.nilOptional, depth: 1)))
    thermostat.root.note = "hello"
    try thermostat.patch("/sticker", "{\"color\":\"!\"}")
    #expect(thermostat.root.note == "hello!")
    try thermostat.put("/sticker/color", "\"?\"")
    #expect(thermostat.root.note == "hello!?")
    try thermostat.delete("/sticker")
    #expect(thermostat.root.note == nil)
  }

  @Test(arguments: [
    ("{\"celsius\":1,\"celsius\":1}", ValidationError.Code.duplicateMember, "/celsius"),
    ("{\"kelvin\":1}", .unknownMember, "/kelvin"), ("{\"a/b\":1}", .unknownMember, "/a~1b"),
    ("{\"celsius\":1.5}", .value, "/celsius"), ("{\"celsius\":9223372036854775808}", .value, "/celsius"),
    ("{\"celsius\":null}", .value, "/celsius"), ("{\"celsius\":\"1\"}", .value, "/celsius"),
    ("{\"limit\":-1}", .value, "/limit"), ("[]", .value, ""), ("null", .value, ""), ("{\"note\":1}", .value, "/note"),
  ])
  mutating func `invalid JSON values are rejected with a pointer`(
    json: String, code: ValidationError.Code, pointer: String
  ) {
    let error = editError { try thermostat.patch("", json) }?.invalid
    #expect(error?.code == code)
    #expect(error?.pointer == pointer)
    #expect(thermostat.root.celsius == 20)
  }

  @Test mutating func `integers are exact in every JSON spelling`() throws {
    for text in ["1.0", "10e-1", "0.1e1", "1"] {
      try thermostat.patch("/celsius", text)
      #expect(thermostat.root.celsius == 1)
    }
  }

  @Test mutating func `PUT to a new id creates the element`() throws {
    let edit = try cabinet.put("/folders/a/notes/3", "{\"text\":\"three\"}")
    #expect(edit.created)
    #expect(cabinet.root.folders[0].notes.map(\.text) == ["one", "two", "three"])
    #expect(editError { try cabinet.put("/folders/b/notes", "[]") } == .cannotCreate(depth: 2))
    #expect(editError { try cabinet.put("/folders/a/notes/4/text", "\"x\"") } == .cannotCreate(depth: 4))
    let other = editError { try cabinet.put("/folders/a/notes/4", "{\"number\":5,\"text\":\"x\"}") }?.invalid
    #expect(other?.pointer == "/number")
  }

  @Test mutating func `an appended element needs a new id`() throws {
    let edit = try cabinet.post("/folders/a/notes", "{\"number\":9,\"text\":\"nine\"}")
    #expect(edit.newKey?.text == "9")
    let error = editError { try cabinet.post("/folders/a/notes", "{\"number\":9,\"text\":\"nine\"}") }?.invalid
    #expect(error?.code == .duplicateID)
    #expect(error?.pointer == "/number")
  }

  @Test mutating func `the id of an element cannot be changed`() {
    let sent = "{\"number\":3,\"text\":\"x\",\"tags\":[]}"
    #expect(editError { try cabinet.put("/folders/a/notes/1", sent) }?.invalid?.pointer == "/number")
    #expect(editError { try cabinet.patch("/folders/a/notes/1", sent) }?.invalid?.pointer == "/number")
  }

  @Test mutating func `PUT may replace the value of an optional by one with another id`() throws {
    try cabinet.put("/open", "{\"id\":\"x\",\"notes\":[]}")
    try cabinet.put("/open", "{\"id\":\"y\",\"notes\":[]}")
    #expect(cabinet.root.open?.id == "y")
    #expect(editError { try cabinet.patch("/open", "{\"id\":\"z\"}") }?.invalid?.code == .readOnlyMember)
  }

  @Test mutating func `removing an absent value changes nothing`() throws {
    #expect(try cabinet.delete("/folders/zzz").wasAbsent)
    #expect(try cabinet.delete("/open").wasAbsent)
    #expect(try !cabinet.delete("/folders/a/notes/1").wasAbsent)
    #expect(cabinet.root.folders[0].notes.map(\.number) == [2])
  }

  @Test mutating func `the add operation of JSON Patch inserts, and a dash appends`() throws {
    try cabinet.add("/folders/-", "{\"id\":\"-\",\"notes\":[]}")
    try cabinet.add("/folders/a/notes/-", "{\"number\":3,\"text\":\"\"}")
    #expect(cabinet.root.folders.map(\.id) == ["a", "-"])
    #expect(cabinet.root.folders[0].notes.map(\.number) == [1, 2, 3])
    try cabinet.add("/folders/a/notes/1/tags/0", "\"b\"")
    try cabinet.add("/folders/a/notes/1/tags/0", "\"a\"")
    #expect(cabinet.root.folders[0].notes[0].tags == ["a", "b"])
    #expect(editError { try cabinet.add("/folders/a/notes/1/tags/3", "\"x\"") } != nil)
  }

  @Test mutating func `each layer of a nested optional can be set and removed`() throws {
    try layers.put("/three", "{\"some\":{\"some\":3}}")
    #expect(layers.root.three == .some(.some(.some(3))))
    try layers.put("/three", "{\"some\":null}")
    #expect(layers.root.three == .some(.none))
    #expect(try layers.put("/three/some/some", "4").created)
    #expect(layers.root.three == .some(.some(.some(4))))
    try layers.delete("/three/some")
    #expect(layers.root.three == .some(.none))
    #expect(editError { try layers.patch("/three/some/some", "4") } == .absent(Absence(.nilOptional, depth: 2)))
    #expect(layers.route("/three/some/some/some") == nil)
    #expect(layers.route("/one/some") == nil)
  }

  @Test mutating func `a merge that names another case or PUT below it switches the case`() throws {
    try layers.put("/light", "{\"some\":\"off\"}")
    try layers.patch("/light/some", "{\"colored\":{\"name\":\"red\",\"at\":{\"x\":1,\"y\":2}}}")
    try layers.patch("/light/some", "{\"colored\":{\"at\":{\"x\":3}}}")
    #expect(layers.root.light == .some(.colored(name: "red", at: Point(x: 3, y: 2))))
    #expect(try layers.put("/light/some/dimmed/level/some", "\"warm\"").created)
    #expect(layers.root.light == .some(.dimmed(.level(.some(.some(.warm))))))
    let absence = Absence(.inactiveCase(wanted: "colored", active: "dimmed"), depth: 3)
    #expect(editError { try layers.patch("/light/some/colored/name", "\"x\"") } == .absent(absence))
    #expect(editError { try layers.put("/light/some/colored/name", "\"x\"") } == .cannotCreate(depth: 4))
  }
}
