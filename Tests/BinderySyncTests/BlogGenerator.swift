import BinderyCore
import BinderyTestKit
import BindingLaws

/// Random data of the blog.
struct BlogGenerator {
  private struct Post {
    let id: Int
    var title: String
    var views: String
    var at: String
  }

  private var posts: [Post] = []
  private var settings: [(name: String, value: Int)] = []
  /// The members that are replaced as a whole, in JSON.
  private var values: [String: String] = [:]

  /// Creates random data.
  init(_ random: inout SeededGenerator) {
    for id in Array(1...6).shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random)) {
      posts.append(Self.post(id, &random))
    }
    for name in ["zoom", "alpha", "a/b", "e\\u0301"] where random.chance(50) {
      settings.append((name, Int.random(in: 0...9, using: &random)))
    }
    for (name, choices) in Self.choices { values[name] = random.pick(choices) }
  }

  private static let choices = [
    ("title", [#""a""#, #""b""#, #""Caf\u00e9""#]), ("tags", ["[]", #"["a",  "b"]"#]),
    ("labels", ["[]", #"["y",  "x"]"#, #"["x", "z"]"#]), ("notes", ["[]"]),
    ("free", ["null", #"[1,{"b":2,"a":1}]"#, #"{"z":{},"a":[]}"#]),
  ]

  private static func post(_ id: Int, _ random: inout SeededGenerator) -> Post {
    Post(
      id: id, title: random.pick(["One", "Caf\\u00e9", "\\n", "x"]), views: random.pick(["0", "1.50", "1e3"]),
      at: random.pick(["null", "\"2026-01-01T00:00:00Z\""]))
  }

  /// Changes one thing.
  mutating func change(_ random: inout SeededGenerator) {
    switch Int.random(in: 0..<7, using: &random) {
    case 0 where !posts.isEmpty: posts.remove(at: Int.random(in: posts.indices, using: &random))
    case 1:
      let id = Int.random(in: 1...12, using: &random)
      guard !posts.contains(where: { $0.id == id }) else { return }
      posts.insert(Self.post(id, &random), at: Int.random(in: 0...posts.count, using: &random))
    case 2 where !posts.isEmpty: posts[Int.random(in: posts.indices, using: &random)].title = random.pick(["y", "z"])
    case 3: posts.shuffle(using: &random)
    case 4 where !settings.isEmpty: settings[Int.random(in: settings.indices, using: &random)].value += 1
    case 5 where !settings.isEmpty: settings.remove(at: Int.random(in: settings.indices, using: &random))
    default:
      let (name, choices) = random.pick(Self.choices)
      values[name] = random.pick(choices)
    }
  }

  /// Returns a text with members in any order.
  func text(_ random: inout SeededGenerator) -> String {
    let posts = posts.map {
      #"{"id":\#($0.id),"title":"\#($0.title)","views":\#($0.views),"at":\#($0.at),"author":"Ann"}"#
    }
    let settings = settings.shuffled(using: &random).map { "\"\($0.name)\": \($0.value)" }
    let gap = random.pick(["", " ", "\n  "])
    let members =
      values.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" } + [
        #""posts":[\#(posts.joined(separator: ","))]"#, #""settings":{\#(settings.joined(separator: ", "))}"#,
      ]
    return "{" + gap + members.shuffled(using: &random).joined(separator: "," + gap) + gap + "}"
  }
}
