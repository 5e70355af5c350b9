import BinderyCore
import Testing

/// Merging, replacing and creating, by the rules of the HTTP verbs.
struct EditTests {
  private var oven = Draft(Thermostat(celsius: 20, limit: 30, note: nil, serial: "s1"))
  private var cabinet = Draft(
    Cabinet(
      folders: [
        Folder(id: "a", notes: [Note(number: 1, text: "one", tags: []), Note(number: 2, text: "two", tags: [])])
      ],
      open: nil))
  private var layers = Draft(Layers(one: nil, two: nil, three: nil, point: nil, light: nil))

  private func refusal(_ body: () throws -> Void) -> EditError? {
    do { try body() } catch { return error as? EditError }
    return nil
  }

  @Test mutating func `a merge writes what it names`() throws {
    try oven.patch("", "{\"celsius\":25}")
    #expect(oven.root == Thermostat(celsius: 25, limit: 30, note: nil, serial: "s1"))
  }

  @Test mutating func `a replacement needs every writable stored member`() {
    let error = refusal { try oven.put("", "{\"celsius\":25,\"limit\":30}") }?.invalid
    #expect(error?.code == .missingMember)
    #expect(error?.pointer == "/note")
  }

  @Test mutating func `a computed member that says what was there is skipped`() throws {
    try oven.put("", "{\"celsius\":25,\"limit\":30,\"note\":null,\"tenths\":200,\"clamped\":20,\"stubborn\":false}")
    #expect(oven.root.celsius == 25)
  }

  @Test mutating func `a computed member that says something new is written`() throws {
    let edit = try oven.patch("", "{\"tenths\":250}")
    #expect(oven.root.celsius == 25)
    #expect(edit.outcome == .kept)
  }

  @Test mutating func `a computed member that unmakes a stored one is in conflict`() {
    let error = refusal { try oven.patch("", "{\"celsius\":25,\"tenths\":280}") }?.invalid
    #expect(error?.code == .conflictingMembers)
    #expect(error?.pointer == "/celsius")
  }

  @Test mutating func `a new value with members in conflict is refused too`() {
    let error = #expect(throws: ValidationError.self) {
      try Draft<Thermostat>(json: "{\"celsius\":25,\"tenths\":280}", .creating)
    }
    #expect(error?.code == .conflictingMembers)
  }

  @Test mutating func `a setter that adjusts or drops is told`() throws {
    #expect(try oven.patch("", "{\"clamped\":99}").outcome == .adjusted)
    #expect(oven.root.celsius == 30)
    #expect(try oven.patch("", "{\"stubborn\":true}").outcome == .dropped)
  }

  @Test mutating func `a read-only member may echo what is there`() throws {
    #expect(try oven.patch("", "{\"serial\":\"s1\",\"isNoted\":false}").echoes.isEmpty)
    #expect(try oven.patch("", "{\"note\":\"n\",\"isNoted\":true}").echoes.isEmpty)
    let edit = try oven.patch("", "{\"serial\":\"s2\"}")
    #expect(edit.echoes.map(\.names) == [["serial"]])
  }

  @Test mutating func `a view that only edits fills no optional of its own but those inside`() throws {
    #expect(
      refusal { try oven.put("/sticker", "{\"text\":\"t\",\"color\":null}") }
        == .absent(Absence(.nilOptional, depth: 1)))
    oven.root.note = "hello"
    try oven.patch("/sticker", "{\"color\":\"!\"}")
    #expect(oven.root.note == "hello!")
    try oven.put("/sticker/color", "\"?\"")
    #expect(oven.root.note == "hello!?")
    try oven.delete("/sticker")
    #expect(oven.root.note == nil)
  }

  @Test(arguments: [
    ("{\"celsius\":1,\"celsius\":1}", ValidationError.Code.duplicateMember, "/celsius"),
    ("{\"kelvin\":1}", .unknownMember, "/kelvin"), ("{\"a/b\":1}", .unknownMember, "/a~1b"),
    ("{\"celsius\":1.5}", .value, "/celsius"), ("{\"celsius\":9223372036854775808}", .value, "/celsius"),
    ("{\"celsius\":null}", .value, "/celsius"), ("{\"celsius\":\"1\"}", .value, "/celsius"),
    ("{\"limit\":-1}", .value, "/limit"), ("[]", .value, ""), ("null", .value, ""), ("{\"note\":1}", .value, "/note"),
  ])
  mutating func `what does not fit is refused with a pointer`(json: String, code: ValidationError.Code, pointer: String)
  {
    let error = refusal { try oven.patch("", json) }?.invalid
    #expect(error?.code == code)
    #expect(error?.pointer == pointer)
    #expect(oven.root.celsius == 20)
  }

  @Test mutating func `integers are exact, however they are spelled`() throws {
    for text in ["1.0", "10e-1", "0.1e1", "1"] {
      try oven.patch("/celsius", text)
      #expect(oven.root.celsius == 1)
    }
  }

  @Test mutating func `an element is created where its address names it`() throws {
    let edit = try cabinet.put("/folders/a/notes/3", "{\"text\":\"three\"}")
    #expect(edit.created)
    #expect(cabinet.root.folders[0].notes.map(\.text) == ["one", "two", "three"])
    #expect(refusal { try cabinet.put("/folders/b/notes", "[]") } == .cannotCreate(depth: 2))
    #expect(refusal { try cabinet.put("/folders/a/notes/4/text", "\"x\"") } == .cannotCreate(depth: 4))
    let other = refusal { try cabinet.put("/folders/a/notes/4", "{\"number\":5,\"text\":\"x\"}") }?.invalid
    #expect(other?.pointer == "/number")
  }

  @Test mutating func `an element is appended, and its id must be new`() throws {
    let edit = try cabinet.post("/folders/a/notes", "{\"number\":9,\"text\":\"nine\"}")
    #expect(edit.newKey?.text == "9")
    let error = refusal { try cabinet.post("/folders/a/notes", "{\"number\":9,\"text\":\"nine\"}") }?.invalid
    #expect(error?.code == .duplicateID)
    #expect(error?.pointer == "/number")
  }

  @Test mutating func `an id of an element cannot be changed`() {
    let sent = "{\"number\":3,\"text\":\"x\",\"tags\":[]}"
    #expect(refusal { try cabinet.put("/folders/a/notes/1", sent) }?.invalid?.pointer == "/number")
    #expect(refusal { try cabinet.patch("/folders/a/notes/1", sent) }?.invalid?.pointer == "/number")
  }

  @Test mutating func `another thing may take the place of what an optional holds`() throws {
    try cabinet.put("/open", "{\"id\":\"x\",\"notes\":[]}")
    try cabinet.put("/open", "{\"id\":\"y\",\"notes\":[]}")
    #expect(cabinet.root.open?.id == "y")
    #expect(refusal { try cabinet.patch("/open", "{\"id\":\"z\"}") }?.invalid?.code == .readOnlyMember)
  }

  @Test mutating func `what is absent already is removed without a change`() throws {
    #expect(try cabinet.delete("/folders/zzz").wasAbsent)
    #expect(try cabinet.delete("/open").wasAbsent)
    #expect(try !cabinet.delete("/folders/a/notes/1").wasAbsent)
    #expect(cabinet.root.folders[0].notes.map(\.number) == [2])
  }

  @Test mutating func `a patch's add inserts, and a dash is behind the last`() throws {
    try cabinet.add("/folders/-", "{\"id\":\"-\",\"notes\":[]}")
    try cabinet.add("/folders/a/notes/-", "{\"number\":3,\"text\":\"\"}")
    #expect(cabinet.root.folders.map(\.id) == ["a", "-"])
    #expect(cabinet.root.folders[0].notes.map(\.number) == [1, 2, 3])
    try cabinet.add("/folders/a/notes/1/tags/0", "\"b\"")
    try cabinet.add("/folders/a/notes/1/tags/0", "\"a\"")
    #expect(cabinet.root.folders[0].notes[0].tags == ["a", "b"])
    #expect(refusal { try cabinet.add("/folders/a/notes/1/tags/3", "\"x\"") } != nil)
  }

  @Test mutating func `optionals of optionals are filled layer by layer`() throws {
    try layers.put("/three", "{\"some\":{\"some\":3}}")
    #expect(layers.root.three == .some(.some(.some(3))))
    try layers.put("/three", "{\"some\":null}")
    #expect(layers.root.three == .some(.none))
    #expect(try layers.put("/three/some/some", "4").created)
    #expect(layers.root.three == .some(.some(.some(4))))
    try layers.delete("/three/some")
    #expect(layers.root.three == .some(.none))
    #expect(refusal { try layers.patch("/three/some/some", "4") } == .absent(Absence(.nilOptional, depth: 2)))
    #expect(layers.route("/three/some/some/some") == nil)
    #expect(layers.route("/one/some") == nil)
  }

  @Test mutating func `a case is switched by a merge that names it, and by PUT below it`() throws {
    try layers.put("/light", "{\"some\":\"off\"}")
    try layers.patch("/light/some", "{\"colored\":{\"name\":\"red\",\"at\":{\"x\":1,\"y\":2}}}")
    try layers.patch("/light/some", "{\"colored\":{\"at\":{\"x\":3}}}")
    #expect(layers.root.light == .some(.colored(name: "red", at: Point(x: 3, y: 2))))
    #expect(try layers.put("/light/some/dimmed/level/some", "\"warm\"").created)
    #expect(layers.root.light == .some(.dimmed(.level(.some(.some(.warm))))))
    let absence = Absence(.inactiveCase(wanted: "colored", active: "dimmed"), depth: 3)
    #expect(refusal { try layers.patch("/light/some/colored/name", "\"x\"") } == .absent(absence))
    #expect(refusal { try layers.put("/light/some/colored/name", "\"x\"") } == .cannotCreate(depth: 4))
  }
}
