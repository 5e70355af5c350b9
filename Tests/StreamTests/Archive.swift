import BinderyCore
import BinderyJSON
import Synchronization

/// A model whose JSON has 1.6 MB and counts how often its texts are encoded.
struct Archive: StateModel {
  struct Entry: Editable, Identifiable {
    let id: Int
    var text: Text
    static let shape = EditableShape<Entry>.members(
      Entry.init, StoredMember("id", id: \.id), StoredMember("text", \.text))
  }

  /// A text that counts its encodings.
  struct Text: Editable {
    let text: String
    let encodings: Encodings

    static let shape = EditableShape<Text>.scalar(
      "Text", schemaType: "string", example: "\"text\"", expected: "a string",
      encode: { value, writer in
        value.encodings.add()
        writer.string(value.text)
      },
      decode: { $0.string.map { Text(text: $0, encodings: Encodings()) } })
  }

  var title = "0"
  var entries: Identified<Entry>

  static let shape = EditableShape<Archive>.members(
    Archive.init, StoredMember("title", \.title), StoredMember("entries", \.entries))

  static let entryCount = 1_600
  static let jsonBytes = 1_600_000

  /// Creates an archive whose texts count their encodings together.
  static func make(_ encodings: Encodings) -> Archive {
    let text = Text(text: String(repeating: "x", count: 1_000), encodings: encodings)
    return Archive(entries: Identified(uniquing: (0..<entryCount).map { Entry(id: $0, text: text) }))
  }
}

/// The number of texts that were encoded.
final class Encodings: Sendable {
  private let number = Atomic(0)

  func add() { number.add(1, ordering: .relaxed) }

  /// Returns the number since the last call.
  func take() -> Int { number.exchange(0, ordering: .relaxed) }
}
