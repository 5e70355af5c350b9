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

  /// All texts of up to six parts of one or several bytes, scalars and characters.
  private var texts: [String] {
    let parts = ["a", "é", "e\u{301}", "\r\n", "🍝", "👩‍👩‍👧", "\u{85}", "\u{C2}", " ", "abcde"]
    var texts = [""]
    for length in 1...3 {
      for number in 0..<Int(pow: length, of: parts.count) {
        var (text, rest) = ("", number)
        for _ in 0..<length {
          text += parts[rest % parts.count]
          rest /= parts.count
        }
        texts.append(text)
        texts.append(text + text)
      }
    }
    return texts
  }

  private func accepts(_ text: String, at place: StatePlace<Texts, String>) async -> Bool {
    (try? await store.edit(place) { $0 = text }) != nil
  }
}

extension Int {
  fileprivate init(pow exponent: Int, of base: Int) { self = (0..<exponent).reduce(1) { power, _ in power * base } }
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
