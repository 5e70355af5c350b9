import BinderyJSON
import BinderyTestKit

/// What a client of a stream holds, checked against the chronicle with each event that it takes.
struct Follower {
  enum Form: CaseIterable {
    case values, patches, snapshots
  }

  enum Mistake: Error, CustomStringConvertible {
    case wrong(String, ServerSentEvent, Follower)

    var description: String {
      if case .wrong(let what, let event, let follower) = self { "\(what): \(event) on \(follower.target)" } else { "" }
    }
  }

  let form: Form
  let paths: [Bytes]
  let every: Int
  /// What the peer was told of each path.
  var held: [Bytes: Bytes] = [:]
  /// The revision at which what is held stood, or could have.
  private var revision = 0
  /// Nothing was told on this connection yet.
  private var isFresh = true

  init(_ form: Form, _ paths: [String], every: Int = 0) {
    self.form = form
    self.paths = paths.map(Bytes.init)
    self.every = every
  }

  var target: String {
    switch form {
    case .values: "/state\(paths[0].text.percentEncoded)?every=\(every)"
    case .patches: "/state\(paths[0].text.percentEncoded)?as=patch&every=\(every)"
    case .snapshots:
      "/events?every=\(every)" + paths.map { "&path=" + ($0.text.isEmpty ? "/" : $0.text).queryEncoded }.joined()
    }
  }

  /// The next connection begins.
  mutating func reconnect() { isFresh = true }

  func isCurrent(_ chronicle: Chronicle) -> Bool { paths.allSatisfy { held[$0] == chronicle.now[$0] } }

  mutating func take(_ event: ServerSentEvent, _ chronicle: Chronicle) throws {
    let before = held
    switch form {
    case .values: try takeValue(event, chronicle)
    case .patches: try takePatch(event, chronicle)
    case .snapshots: try takeSnapshot(event, chronicle)
    }
    // A cursor of patches is a revision: who comes back is told the whole, be it what it was.
    if before == held, form != .patches || !isFresh { throw Mistake.wrong("told twice", event, self) }
    isFresh = false
  }

  private mutating func takeValue(_ event: ServerSentEvent, _ chronicle: Chronicle) throws {
    let text = event.type == "absent" ? Chronicle.absent : Bytes(event.data)
    guard (event.type == "absent") == (event.id == "-") else { throw Mistake.wrong("wrong id", event, self) }
    held[paths[0]] = text
    let next = chronicle.texts[revision...].firstIndex { $0[paths[0]] == text }
    guard let next else { throw Mistake.wrong("no later revision had it", event, self) }
    revision = next
  }

  private mutating func takePatch(_ event: ServerSentEvent, _ chronicle: Chronicle) throws {
    switch event.type {
    case "absent": held[paths[0]] = Chronicle.absent
    case "patch":
      guard !isFresh || revision == Int(event.id) || held[paths[0]] != nil else {
        throw Mistake.wrong("a patch of nothing", event, self)
      }
      var value = try JSONValue(parsing: held[paths[0]]?.text ?? "")
      try value.apply(patch: event.data)
      held[paths[0]] = Bytes(value.text)
    default: held[paths[0]] = Bytes(event.data)
    }
    guard let number = Int(event.id), number >= revision else { throw Mistake.wrong("an older one", event, self) }
    revision = number
    guard held[paths[0]] == chronicle.texts[number][paths[0]] else {
      throw Mistake.wrong("not what stood there, \(chronicle.texts[number][paths[0]]?.text ?? "")", event, self)
    }
  }

  private mutating func takeSnapshot(_ event: ServerSentEvent, _ chronicle: Chronicle) throws {
    let root = try JSONDocument(parsing: Array(event.data.utf8)).root
    guard let number = root["revision"].flatMap({ Int(String(decoding: $0.text, as: UTF8.self)) }), number >= revision,
      let changes = root["changes"]
    else {
      throw Mistake.wrong("an older one", event, self)
    }
    revision = number
    for change in changes.elements {
      let name = change["path"]?.string ?? "?"
      let path = Bytes(name == "/" ? "" : name)
      let text = change["value"].map { Bytes(String(decoding: $0.text, as: UTF8.self)) } ?? Chronicle.absent
      if held[path] == text { throw Mistake.wrong("\(path) told twice", event, self) }
      held[path] = text
    }
    for path in paths where held[path] != chronicle.texts[number][path] {
      throw Mistake.wrong("\(path) is not of the revision", event, self)
    }
  }
}
