import BinderyCore
import BinderyTestKit
import BindingLaws

/// Random requests to the menu: mostly valid ones, and some with mistakes.
struct RequestGenerator {
  var random: SeededGenerator
  /// The number of connections that wait for a long poll or receive events.
  var openCount = 0
  /// The number of the latest revision.
  var revision = 0
  /// The ETag of the last response.
  var etag: String?
  /// The id of the last event.
  var eventID: String?

  init(random: SeededGenerator) { self.random = random }

  private static let ids = (1...6).map { MenuModel.id($0).keyText }
  private static let names = [
    "Pizza", "", "  ", "é", "e\u{301}", "a\\nb", "🍕🍝", "\\u0000", "\\ud83c", "\\u2028", "</script>",
    String(repeating: "x", count: 100), String(repeating: "x", count: 101), String(repeating: "👩‍👩‍👧‍👦", count: 17),
  ]
  private static let values = [
    "null", "true", "false", "0", "1", "7", "-1", "1.0", "1.5", "1e2", "9223372036854775808", "\"\"", "\"text\"", "[]",
    "{}", "\"tonight\"", "\"tomorrow\"", "\"custom\"", "{\"custom\":\"2026-11-21T19:00:00+01:00\"}",
    "{\"custom\":\"2026-11-21T19:00:00.000Z\"}", "{\"custom\":null}", "\"2026-11-22T08:30:00Z\"", "{\"tonight\":{}}",
    "{\"inStock\":{\"quantity\":3}}", "{\"inStock\":{\"quantity\":0}}", "{\"outOfStock\":{\"isOnBackOrder\":true}}",
    "{\"inStock\":{}}", "{\"inStock\":{\"quantity\":1},\"outOfStock\":{\"isOnBackOrder\":true}}", "{\"quantity\":4}",
    "{\"some\":null}", "{\"some\":{\"some\":null}}", "{\"isFavorite\":true}", "{\"time\":\"tomorrow\"}",
    "{\"isFavorite\":true,\"name\":\"Both\",\"id\":\"b10de400-0000-8000-8000-000000000005\"}", "{\"unknown\":1}",
    "{\"pinnedID\":null,\"editing\":{\"some\":null}}", "{\"favorites\":[]}", "{\"lastCustomTime\":null}",
  ]
  /// Bodies that are not JSON: incomplete, with bytes after the end, not UTF-8, too many levels.
  private static let malformed: [[UInt8]] = [
    Array("[1".utf8), Array("{} {}".utf8), Array("{'a':1}".utf8), [0x22, 0xFF, 0x22], [], Array("tonight".utf8),
    Array(repeating: UInt8(ascii: "["), count: 65) + Array(repeating: UInt8(ascii: "]"), count: 65),
  ]
  private static let inDish = [
    "", "", "/id", "/name", "/isFavorite", "/status", "/status/inStock", "/status/inStock/quantity",
    "/status/outOfStock", "/status/outOfStock/isOnBackOrder", "/nothing", "/Name",
  ]

  private mutating func id() -> String {
    let id = random.pick(Self.ids)
    return random.chance(10) ? id.uppercased() : random.chance(3) ? "nonsense" : id
  }

  private mutating func dish() -> String {
    var members = ["\"id\":\"\(id())\""]
    if random.chance(95) { members.append("\"name\":\"\(random.pick(["Pizza", "Pasta", "", "🍕"]))\"") }
    if random.chance(40) { members.append("\"isFavorite\":\(random.chance(50))") }
    if random.chance(40) { members.append("\"status\":\(value())") }
    if random.chance(3) { members.append("\"name\":\"again\"") }
    return "{\(members.shuffled(using: &random).joined(separator: ","))}"
  }

  private mutating func value() -> String {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: dish()
    case 1: "{\"some\":\(dish())}"
    case 2: "\"\(id())\""
    case 3: "[\((0..<Int.random(in: 0..<4, using: &random)).map { _ in dish() }.joined(separator: ","))]"
    case 4: "\"\(random.pick(Self.names))\""
    case 5: random.chance(20) ? state() : random.pick(Self.values)
    default: random.pick(Self.values)
    }
  }

  /// Returns a whole state, which may lack members.
  private mutating func state() -> String {
    let members = [
      "\"dishes\":[\(dish())]", "\"pinnedID\":null", "\"time\":\"tonight\"", "\"editing\":null", "\"pinnedDish\":null",
    ]
    return "{\(members.filter { _ in random.chance(90) }.joined(separator: ","))}"
  }

  private mutating func pointer() -> String {
    switch Int.random(in: 0..<14, using: &random) {
    case 0: ""
    case 1: "/dishes"
    case 2...5: "/dishes/\(id())\(random.pick(Self.inDish))"
    case 6: "/pinnedID"
    case 7...8: "/pinnedDish\(random.pick(Self.inDish))"
    case 9: "/favorites"
    case 10: random.pick(["/time", "/time/custom", "/time/tonight", "/lastCustomTime"])
    case 11...12: "/editing\(random.pick(["", "/some"]))\(random.pick(Self.inDish))"
    default: random.pick(["/nothing", "/dishes/", "/time/custom/x", "/favorites/0", "/some", "/dishes/0", "/dishes/-"])
    }
  }

  private mutating func patch() -> String {
    let operations = (0..<Int.random(in: 1..<4, using: &random)).map { _ in
      let path = random.chance(15) ? "/dishes/\(random.pick(["0", "1", "9", "-"]))" : pointer()
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return "{\"op\":\"add\",\"path\":\"\(path)\",\"value\":\(value())}"
      case 1: return "{\"op\":\"replace\",\"path\":\"\(path)\",\"value\":\(value())}"
      case 2: return "{\"op\":\"remove\",\"path\":\"\(path)\"}"
      case 3: return "{\"op\":\"test\",\"path\":\"\(path)\",\"value\":\(value())}"
      case 4: return "{\"op\":\"move\",\"from\":\"\(pointer())\",\"path\":\"\(path)\"}"
      default: return "{\"op\":\"copy\",\"from\":\"\(pointer())\",\"path\":\"\(path)\"}"
      }
    }
    return random.chance(3) ? operations[0] : "[\(operations.joined(separator: ","))]"
  }

  // MARK: Steps

  mutating func step() -> ClientStep {
    if openCount > 6 || openCount > 0 && random.chance(2) {
      return .disconnect(Int.random(in: 0..<openCount, using: &random))
    }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<8: return .send(stream())
    case 8..<11: return .wait(Int64.random(in: 0...20_000, using: &random))
    case 11..<16: return .send(history())
    default: return .send(request())
    }
  }

  private mutating func fields() -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    if let etag, random.chance(15) {
      let value = random.chance(70) ? etag : random.pick(["*", "W/\(etag)", "\"other\", \(etag)", "nonsense"])
      fields.append((random.chance(50) ? "If-Match" : "If-None-Match", value))
    }
    if random.chance(8) {
      let preferences = ["return=minimal", "handling=strict", "return=minimal, handling=strict", "return=nothing"]
      fields.append(("Prefer", random.pick(preferences)))
    }
    if random.chance(4) {
      fields.append(("Accept", random.pick(["application/json", "*/*", "text/html", "application/*;q=0.5"])))
    }
    return fields
  }

  private mutating func type(_ usual: String) -> (name: String, value: String) {
    guard random.chance(5) else { return ("Content-Type", usual) }
    let others = [
      "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8", "application/xml",
    ]
    return ("Content-Type", random.pick(others))
  }

  private mutating func body() -> [UInt8] { random.chance(3) ? random.pick(Self.malformed) : Array(value().utf8) }

  private mutating func request() -> Request {
    let target = "/state" + pointer()
    let fields = fields()
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<20: return Request(random.chance(10) ? "HEAD" : "GET", target + query(), fields: fields)
    case 20..<48:
      let usual = random.chance(80) ? "application/json" : "application/merge-patch+json"
      return Request("PATCH", target, fields: fields + [type(usual)], body: body())
    case 48..<70: return Request("PUT", target, fields: fields + [type("application/json")], body: body())
    case 70..<78: return Request("DELETE", target, fields: fields)
    case 78..<84:
      return Request("POST", "/state/dishes", fields: fields + [type("application/json")], body: Array(dish().utf8))
    case 84: return Request("OPTIONS", target)
    case 85: return Request(random.pick(["TRACE", "POST", "patch"]), target, fields: fields)
    default:
      return Request(
        "PATCH", "/state" + (random.chance(80) ? "" : pointer()),
        fields: fields + [type("application/json-patch+json")], body: Array(patch().utf8))
    }
  }

  private mutating func query() -> String {
    guard random.chance(25) else { return "" }
    let queries = [
      "?pretty", "?pretty=0", "?pretty=x", "?limit=2", "?limit=1&after=\(id())", "?after=\(id())", "?limit=0", "?ids",
      "?stored", "?nothing=1", "?pretty&pretty", "?%ff", "?as=patch", "?wait=0",
    ]
    return random.pick(queries)
  }

  private mutating func history() -> Request {
    let number = Int.random(in: 0...(revision + 1), using: &random)
    if random.chance(50) {
      return Request("POST", "/history/\(number)/revert", fields: fields())
    }
    let recent = max(0, revision - Int.random(in: 0...4, using: &random))
    let queries = ["", "?limit=3", "?after=\(number)&limit=2", "?after=\(recent)", "?after=\(recent)&ids", "?limit=x"]
    return Request("GET", "/history" + random.pick(queries))
  }

  /// Returns a request of an event stream or a long poll.
  private mutating func stream() -> Request {
    if let etag, random.chance(25) {
      return Request(
        "GET", "/state\(pointer())?wait=\(random.pick(["5", "30", "61"]))", fields: [("If-None-Match", etag)])
    }
    var fields = [(name: "Accept", value: "text/event-stream")]
    if let eventID, random.chance(40) { fields.append(("Last-Event-ID", eventID)) }
    if random.chance(25) {
      let places = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        "path=" + pointer().replacing("/", with: "%2F")
      }
      return Request("GET", "/events?" + places.joined(separator: "&"), fields: fields)
    }
    let queries = ["", "", "?as=patch", "?as=patch&ids", "?every=250", "?every=3000&as=patch", "?as=nothing"]
    return Request("GET", "/state" + pointer() + random.pick(queries), fields: fields)
  }
}
