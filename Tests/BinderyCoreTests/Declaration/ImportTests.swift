import BinderyCore
import BinderyJSON
import Synchronization
import Testing

/// State files: what `export` writes, and what a client reads at `/state`.
struct ImportTests {
  private let model = ModelDefinition<Larder>()
  private let larder = Larder(
    jars: [Jar(id: "plum", label: "Plum", secret: 7), Jar(id: "fig", label: "Fig", secret: 8)],
    boxes: [Box(id: 1, label: "Rice"), Box(id: 2, label: "Peas")], counts: ["a": 1], tags: ["x"], next: 9)

  /// Returns the state as a client reads it.
  private func shown(_ larder: Larder) -> String {
    var writer = JSONWriter()
    Larder.shape.encode(larder, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func imported(_ text: String, replacing current: Larder? = nil) throws -> Larder {
    try model.importing(Array(text.utf8), replacing: current)
  }

  /// Returns the lines of the error for a file.
  private func problems(_ text: String) -> [String] {
    do {
      _ = try imported(text)
      return []
    } catch { return "\(error)".split(separator: "\n").map(String.init) }
  }

  @Test func `a file with hidden members is the complete state`() throws {
    let file = String(decoding: Larder.shape.stored(larder), as: UTF8.self)
    #expect(Larder.shape.areSame(try imported(file), larder))
    var other = larder
    other.next = 100
    #expect(Larder.shape.areSame(try imported(file, replacing: other), larder))
  }

  @Test func `without hidden members, those of a store stay and others get their defaults`() throws {
    var edited = larder
    edited.jars.edit(id: "fig") { $0.label = "Green fig" }
    edited.jars.move(id: "fig", to: 0)
    try edited.jars.append(Jar(id: "quince", label: "Quince", secret: 55))
    let kept = try imported(shown(edited), replacing: larder)
    #expect(kept.jars.map(\.id) == ["fig", "plum", "quince"])
    #expect(kept.jars.map(\.label) == ["Green fig", "Plum", "Quince"])
    #expect(kept.jars.map(\.secret) == [8, 7, 0])
    #expect(kept.next == 9)
    let new = try imported(shown(edited))
    #expect(new.jars.map(\.secret) == [0, 0, 0])
    #expect(new.next == 1)
  }

  @Test func `read-only members are imported, and omitted ones get their defaults`() throws {
    let file = #"{"jars":[{"id":"a","label":"A"}],"counts":{}}"#
    let new = try imported(file)
    #expect(new.tags == [] && new.jars.first?.id == "a")
    #expect(problems("{}") == ["/jars: “jars” is missing", "/counts: “counts” is missing"])
  }

  @Test func `computed members may be there if they agree`() {
    let file = shown(larder).dropLast()
    #expect(problems(file + "}").isEmpty)
    #expect(
      problems(shown(larder).replacing(#""total":2"#, with: #""total":3"#)) == [
        "/total: the file says 3, but the other members give 2; correct one of them, or leave out “total”, which is "
          + "computed"
      ])
    #expect(problems(shown(larder).replacing(#""total":2,"#, with: "")).isEmpty)
  }

  @Test func `a computed member that differs is reported at the place of the difference`() {
    let file = shown(larder)
    let labels = #""labels":["RICE","PEAS"]"#
    #expect(file.contains(labels))
    for (replacement, line) in [
      (#""labels":["RICE","peas"]"#, #"/labels/1: the file says "peas", but the other members give "PEAS";"#),
      (#""labels":["RICE"]"#, #"/labels/1: the file says nothing, but the other members give "PEAS";"#),
      (#""labels":["RICE","PEAS","X"]"#, #"/labels/2: the file says "X", but the other members give nothing;"#),
      (#""labels":5"#, #"/labels: the file says 5, but the other members give ["RICE","PEAS"];"#),
    ] {
      let problems = problems(file.replacing(labels, with: replacement))
      #expect(problems.count == 1)
      #expect(problems.first?.hasPrefix(line) == true, "\(problems)")
    }
    let first = file.replacing(#""first":{"id":1,"label":"Rice""#, with: #""first":{"id":1,"label":"Oats""#)
    #expect(problems(first).first?.hasPrefix(#"/first/label: the file says "Oats", but"#) == true, "\(problems(first))")
  }

  @Test func `a computed member is compared only if the file has the hidden members that it depends on`() {
    // `upcoming` is computed from `next`, which a client does not see.
    #expect(shown(larder).contains(#""upcoming":10"#))
    #expect(problems(shown(larder)).isEmpty)
    let complete = String(decoding: Larder.shape.stored(larder), as: UTF8.self).dropLast()
    #expect(problems(complete + #","upcoming":10}"#).isEmpty)
    #expect(problems(complete + #","upcoming":11}"#).first?.hasPrefix("/upcoming: the file says 11") == true)
  }

  @Test func `all mistakes of a file are reported at once`() {
    let file = """
      {"jars": [{"id": "a", "label": ""}, {"id": "b", "label": "B", "lid": 1, "label": "C"}, 5, {"label": "D"}],
       "counts": {"x": "1", "y": 2, "y": 3, "z": null}, "tags": ["t", "t", 4], "motto": "m", "total": 9}
      """
    #expect(
      problems(file) == [
        "/motto: there is no member “motto”, expected one of jars, boxes, counts, tags, total, labels, first, "
          + "upcoming",
        #"/jars/0/label: "" is not a string of 1 to 20 characters"#,
        "/jars/1/lid: there is no member “lid”, expected one of id, label",
        "/jars/1/label: duplicate member “label”", "/jars/2: 5 is not an object", "/jars/3/id: “id” is missing",
        #"/counts/x: "1" is not an integer"#, "/counts/y: duplicate key “y”", "/counts/z: null is not an integer",
        #"/tags/1: "t" is in the set twice, expected an array of distinct elements"#, "/tags/2: 4 is not a string",
      ])
    let invariant = #"{"jars":[{"id":"a","label":"A","lid":0},{"id":"b","label":"B"}],"counts":{"limit":1},"total":1}"#
    #expect(
      problems(invariant).map { $0.prefix(40) } == [
        "/jars/0/lid: there is no member “lid”, e", "/total: the file says 1, but the other m",
        "/jars: there are more jars than the limi",
      ])
    let duplicates = #"{"jars":[{"id":"a","label":"A"},{"id":"a","label":"B"},{"id":"a","label":"C"}],"counts":{}}"#
    #expect(problems(duplicates).map { $0.prefix(8) } == ["/jars/1:", "/jars/2:"])
    #expect(problems("{").count == 1)
    #expect(problems("[]") == ["[] is not an object"])
  }

  @Test func `twenty mistakes are listed and the others are counted`() {
    let jars = (0..<23).map { #"{"id":"\#($0)","label":5}"# }.joined(separator: ",")
    let lines = problems(#"{"jars":[\#(jars)],"counts":{}}"#)
    #expect(lines.count == 21)
    #expect(lines[19] == "/jars/19/label: 5 is not a string")
    #expect(lines[20] == "and 3 more mistakes")
  }

  @Test func `each part of a file is decoded once, however deep the mistakes are`() {
    typealias Deep = Nest<Nest<Nest<Nest<Nest<Nest<Nest<Nest<Ticking>>>>>>>>
    let text = String(repeating: #"{"bad":1,"part":"#, count: 8) + #""x""# + String(repeating: "}", count: 8)
    let model = ModelDefinition(Deep.shape) { _, _ throws(InvalidState) in }
    // The shape has decoded the examples of the scalar.
    Ticking.count.store(0, ordering: .relaxed)
    #expect(throws: ImportError.self) { try model.importing(Array(text.utf8), replacing: nil) }
    #expect(Ticking.count.load(ordering: .relaxed) == 1)
  }
}

/// A model with hidden members at two levels, and members computed from them.
private struct Larder: StateModel {
  var jars: Identified<Jar>
  var boxes: Identified<Box>
  var counts: [String: Int]
  var tags: Set<String>
  var next: Int

  var total: Int { boxes.count }
  var labels: [String] { boxes.map { $0.label.uppercased() } }
  var first: Box? { boxes.first }
  var upcoming: Int { next + 1 }

  static let shape = EditableShape<Larder>.members(
    Larder.init, StoredMember("jars", \.jars), StoredMember("boxes", \.boxes, default: []),
    StoredMember("counts", \.counts), StoredMember("tags", readOnly: \.tags, default: []),
    StoredMember(hidden: "next", \.next, default: 1),
    computed: [
      ComputedMember("total", readOnly: \.total, from: \.boxes),
      ComputedMember("labels", readOnly: \.labels, from: \.boxes),
      ComputedMember("first", readOnly: \.first, from: \.boxes),
      ComputedMember("upcoming", readOnly: \.upcoming, from: \.next),
    ])

  mutating func settle(from base: Larder) throws(InvalidState) {
    if jars.count > counts["limit"] ?? 100 { throw InvalidState("there are more jars than the limit", at: "/jars") }
  }
}

private struct Jar: Editable, Identifiable {
  let id: String
  var label: String
  var secret: Int

  static let shape = EditableShape<Jar>.members(
    Jar.init, StoredMember("id", id: \.id), StoredMember("label", \.label, .length(1...20)),
    StoredMember(hidden: "secret", \.secret, default: 0))
}

private struct Box: Editable, Identifiable {
  let id: Int
  var label: String

  static let shape = EditableShape<Box>.members(
    Box.init, StoredMember("id", id: \.id), StoredMember("label", \.label))
}

private struct Nest<Part: Editable>: Editable {
  var part: Part

  static var shape: EditableShape<Nest<Part>> { .members(Nest.init(part:), StoredMember("part", \.part)) }
}

/// A scalar that counts how often it is decoded.
private struct Ticking: Editable {
  static let count = Atomic(0)
  let text: String

  static let shape = EditableShape<Ticking>.scalar(
    "Ticking", as: String.self, examples: ["a"], expected: "a string", encode: \.text,
    decode: { text in
      count.add(1, ordering: .relaxed)
      return text == "a" ? Ticking(text: text) : nil
    })
}
