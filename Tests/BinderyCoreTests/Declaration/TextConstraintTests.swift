import BinderyCore
import Testing

/// The constraints of texts against their definitions, which are slower.
struct TextConstraintTests {
  private let store = Store(Texts())

  @Test func `the length is counted in characters`() async throws {
    for text in texts {
      #expect(await accepts(text, at: Texts.places.any) == (text.count <= 8), "\(text.debugDescription)")
      #expect(await accepts(text, at: Texts.places.some) == (1...8 ~= text.count), "\(text.debugDescription)")
      #expect(await accepts(text, at: Texts.places.several) == (3...8 ~= text.count), "\(text.debugDescription)")
    }
  }

  @Test func `control characters are those of the category Cc`() async throws {
    for text in texts + (0...0x2FF).compactMap({ Unicode.Scalar($0).map { "é\($0)a" } }) {
      let hasControl = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
      #expect(await accepts(text, at: Texts.places.printable) == !hasControl, "\(text.debugDescription)")
    }
  }

  /// All texts of up to three parts of one or several bytes, scalars and characters, and each of them twice.
  private var texts: [String] {
    let parts = ["a", "é", "e\u{301}", "\r\n", "🍝", "👩‍👩‍👧", "\u{85}", "\u{C2}", " ", "abcde"]
    let pairs = parts.flatMap { first in parts.map { first + $0 } }
    let triples = pairs.flatMap { pair in parts.map { pair + $0 } }
    return [""] + (parts + pairs + triples).flatMap { [$0, $0 + $0] }
  }

  private func accepts(_ text: String, at place: StatePlace<Texts, String>) async -> Bool {
    (try? await store.edit(place) { $0 = text }) != nil
  }
}

private struct Texts: StateModel {
  var any = ""
  var some = "a"
  var several = "abc"
  var printable = ""

  static let shape = EditableShape<Texts>.members(
    Texts.init, StoredMember("any", \.any, .length(0...8)), StoredMember("some", \.some, .length(1...8)),
    StoredMember("several", \.several, .length(3...8)),
    StoredMember("printable", \.printable, .noControlCharacters))
}
