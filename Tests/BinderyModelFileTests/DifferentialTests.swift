import BinderyCore
import BinderyDigest
import BinderyModelFile
import BinderyTestKit
import FoundationEssentials
import Testing

/// Random requests to the menu: mostly valid ones, and some with mistakes.
private struct RequestGenerator {
  var random: SeededGenerator

  private static let ids = (1...6).map { MenuModel.id($0).keyText }
  private static let names = ["Pizza", "", "  ", "é", "e\u{301}", "a\nb", "🍕🍝", String(repeating: "x", count: 101)]
  private static let values = [
    "null", "true", "false", "0", "1", "7", "-1", "1.0", "1.5", "1e2", "\"\"", "\"text\"", "[]", "{}",
    "\"tonight\"", "\"tomorrow\"", "\"custom\"", "{\"custom\":\"2026-11-21T19:00:00+01:00\"}",
    "{\"custom\":\"2026-11-21T19:00:00.000Z\"}", "{\"custom\":null}", "\"2026-11-22T08:30:00Z\"",
    "{\"inStock\":{\"quantity\":3}}", "{\"inStock\":{\"quantity\":0}}", "{\"outOfStock\":{\"isOnBackOrder\":true}}",
    "{\"inStock\":{}}", "{\"inStock\":{\"quantity\":1},\"outOfStock\":{\"isOnBackOrder\":true}}", "{\"quantity\":4}",
    "{\"some\":null}", "{\"isFavorite\":true}",
    "{\"isFavorite\":true,\"name\":\"Both\",\"id\":\"b10de400-0000-8000-8000-000000000005\"}", "{\"unknown\":1}", "[1",
  ]

  mutating func id() -> String {
    let id = random.pick(Self.ids)
    return random.chance(10) ? id.uppercased() : random.chance(3) ? "nonsense" : id
  }

  mutating func dish() -> String {
    var members = ["\"name\":\"\(random.pick(["Pizza", "Pasta", "", "🍕"]))\""]
    members.append("\"id\":\"\(id())\"")
    if random.chance(40) { members.append("\"isFavorite\":\(random.chance(50))") }
    if random.chance(40) { members.append("\"status\":\(value())") }
    if random.chance(3) { members.append("\"name\":\"again\"") }
    return "{\(members.shuffled(using: &random).joined(separator: ","))}"
  }

  mutating func value() -> String {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return dish()
    case 1: return "{\"some\":\(dish())}"
    case 2: return "\"\(id())\""
    case 3: return "[\((0..<Int.random(in: 0..<4, using: &random)).map { _ in dish() }.joined(separator: ","))]"
    case 4:
      let name = random.pick(Self.names).replacing("\n", with: "\\n")
      return "\"\(name)\""
    default: return random.pick(Self.values)
    }
  }

  mutating func pointer() -> String {
    let inDish = [
      "", "/id", "/name", "/isFavorite", "/status", "/status/inStock", "/status/inStock/quantity",
      "/status/outOfStock", "/status/outOfStock/isOnBackOrder", "/nothing",
    ]
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return ""
    case 1: return "/dishes"
    case 2...5: return "/dishes/\(id())\(random.pick(inDish))"
    case 6: return "/pinnedID"
    case 7...8: return "/pinnedDish\(random.pick(inDish))"
    case 9: return "/favorites"
    case 10: return random.pick(["/time", "/time/custom", "/time/tonight", "/lastCustomTime"])
    case 11...12: return "/editing\(random.pick(["", "/some"]))\(random.pick(inDish))"
    default: return random.pick(["/nothing", "/dishes/", "/time/custom/x", "/favorites/0", "/some"])
    }
  }

  mutating func patch() -> String {
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
    return "[\(operations.joined(separator: ","))]"
  }

  mutating func request(_ lastETag: String?) -> Request {
    let target = "/state" + pointer()
    var fields: [(name: String, value: String)] = []
    if let lastETag, random.chance(15) {
      fields.append((random.chance(50) ? "If-Match" : "If-None-Match", random.chance(80) ? lastETag : "*"))
    }
    if random.chance(5) { fields.append(("Prefer", random.pick(["return=minimal", "handling=strict"]))) }
    let json = (name: "Content-Type", value: "application/json")
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<25: return Request("GET", target + (random.chance(5) ? "?pretty" : ""), fields: fields)
    case 25..<50: return Request("PATCH", target, fields: fields + [json], body: Array(value().utf8))
    case 50..<70: return Request("PUT", target, fields: fields + [json], body: Array(value().utf8))
    case 70..<78: return Request("DELETE", target, fields: fields)
    case 78..<84: return Request("POST", "/state/dishes", fields: fields + [json], body: Array(dish().utf8))
    default:
      fields.append(("Content-Type", "application/json-patch+json"))
      return Request(
        "PATCH", "/state" + (random.chance(80) ? "" : pointer()), fields: fields, body: Array(patch().utf8))
    }
  }
}

struct DifferentialTests {
  @Test(arguments: 1...8)
  func `a model file and the same model in Swift give the same responses`(_ seed: UInt64) throws {
    let key = DigestKey.random()
    let model = try ModelFile.model(MenuModel.text)
    let compiled = MemoryClient(Store(MenuCore.initial, journal: nil, key: key), key: key)
    let dynamicStore = Store(try model.initialState(), of: model.definition, journal: nil, key: key)
    let dynamic = MemoryClient(dynamicStore, key: key)
    var generator = RequestGenerator(random: SeededGenerator(seed: seed))
    var etag: String?
    var successes = 0
    for number in 0..<2_500 {
      let request = generator.request(etag)
      let expected = try compiled.send(request)
      let actual = try dynamic.send(request)
      guard Array("\(expected)".utf8) == Array("\(actual)".utf8) else {
        Issue.record("request \(number), \(request):\nSwift: \(expected)\nmodel file: \(actual)")
        return
      }
      etag = actual.etag ?? etag
      if actual.status < 300 { successes += 1 }
    }
    #expect(successes > 250, "too few requests succeed to compare the models")
  }
}
