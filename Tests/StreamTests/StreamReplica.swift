import BinderyJSON
import BinderyTestKit

/// The content that a client of a stream has received. Each event is checked against the state's history.
struct StreamReplica {
  enum Form: CaseIterable {
    case values, patches, snapshots
  }

  enum Violation: Error, CustomStringConvertible {
    case unexpected(String, ServerSentEvent, StreamReplica)

    var description: String {
      if case .unexpected(let reason, let event, let replica) = self {
        "\(reason): \(event) on \(replica.target)"
      } else {
        ""
      }
    }
  }

  let form: Form
  let paths: [Bytes]
  /// The minimum interval in milliseconds.
  let minimumInterval: Int
  /// The last received content of each path.
  var received: [Bytes: Bytes] = [:]
  /// The earliest revision that can have had the received content.
  private var revision = 0

  init(_ form: Form, _ paths: [String], minimumInterval: Int = 0) {
    self.form = form
    self.paths = paths.map(Bytes.init)
    self.minimumInterval = minimumInterval
  }

  var target: String {
    switch form {
    case .values: "/state\(paths[0].text.percentEncoded)?every=\(minimumInterval)"
    case .patches: "/state\(paths[0].text.percentEncoded)?as=patch&every=\(minimumInterval)"
    case .snapshots:
      "/events?every=\(minimumInterval)"
        + paths.map { "&path=" + ($0.text.isEmpty ? "/" : $0.text).queryEncoded }.joined()
    }
  }

  func isCurrent(_ history: StateHistory) -> Bool { paths.allSatisfy { received[$0] == history.current[$0] } }

  mutating func take(_ event: ServerSentEvent, _ history: StateHistory) throws {
    let before = received
    switch form {
    case .values: try takeValue(event, history)
    case .patches: try takePatch(event, history)
    case .snapshots: try takeSnapshot(event, history)
    }
    if before == received { throw Violation.unexpected("the same content was sent twice", event, self) }
  }

  private mutating func takeValue(_ event: ServerSentEvent, _ history: StateHistory) throws {
    let text = event.type == "absent" ? StateHistory.absent : Bytes(event.data)
    guard (event.type == "absent") == event.id.hasPrefix("-~") else {
      throw Violation.unexpected("the id does not match the event type", event, self)
    }
    try take(text, event, history)
  }

  private mutating func take(_ text: Bytes, _ event: ServerSentEvent, _ history: StateHistory) throws {
    received[paths[0]] = text
    let next = history.texts[revision...].firstIndex { $0[paths[0]] == text }
    guard let next else { throw Violation.unexpected("no later revision has this value", event, self) }
    revision = next
  }

  private mutating func takePatch(_ event: ServerSentEvent, _ history: StateHistory) throws {
    guard event.type == "patch" else { return try takeValue(event, history) }
    guard let base = received[paths[0]], base != StateHistory.absent else {
      throw Violation.unexpected("a patch without a base value", event, self)
    }
    var value = try JSONTree(parsing: base.text)
    try value.apply(patch: event.data)
    try take(Bytes(value.text), event, history)
  }

  private mutating func takeSnapshot(_ event: ServerSentEvent, _ history: StateHistory) throws {
    let root = try JSONDocument(parsing: Array(event.data.utf8)).root
    guard let number = root["revision"].flatMap({ Int(String(decoding: $0.text, as: UTF8.self)) }), number >= revision,
      let changes = root["changes"]
    else {
      throw Violation.unexpected("the revision went back", event, self)
    }
    revision = number
    for change in changes.elements {
      let name = change["path"]?.string ?? "?"
      let path = Bytes(name == "/" ? "" : name)
      let text = change["value"].map { Bytes(String(decoding: $0.text, as: UTF8.self)) } ?? StateHistory.absent
      guard let etag = change["etag"]?.string, (etag == "-") == (change["value"] == nil) else {
        throw Violation.unexpected("\(path) has no etag, or one that does not fit its value", event, self)
      }
      if received[path] == text { throw Violation.unexpected("\(path) was sent twice", event, self) }
      received[path] = text
    }
    for path in paths where received[path] != history.texts[number][path] {
      throw Violation.unexpected("\(path) differs from the revision", event, self)
    }
  }
}
