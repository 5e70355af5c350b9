import BinderyCore
import BinderyJSON

/// A model whose JSON is long in every kind of collection.
struct Library: StateModel {
  struct Book: Identifiable, Editable {
    let id: Int
    var text: String
    static let shape = EditableShape<Book>.members(
      Book.init, StoredMember("id", id: \.id), StoredMember("text", \.text))
  }

  enum Annex: Editable, Equatable {
    case closed
    case open([String: Int])
    static let shape = EditableShape<Annex>.cases(
      EnumCase("closed", Annex.closed),
      EnumCase("open", Annex.open) { if case .open(let shelves) = $0 { shelves } else { nil } })
  }

  var name = "Alexandria"
  var books: Identified<Book>
  var annex: Annex?? = .some(.open(Dictionary(uniqueKeysWithValues: (0..<8_000).map { ("shelf \($0)", $0) })))
  var notes: [String] = []
  var titles: [String] { books.map { String($0.text.prefix(100)) } }

  /// - Parameters:
  ///   - count: The number of books.
  ///   - bookBytes: The length of the text of each book.
  init(count: Int = 3_000, bookBytes: Int = 200) {
    let text = "\"[b,o{o}k:]\\ " + String(repeating: "x", count: bookBytes)
    books = Identified(uniquing: (0..<count).map { Book(id: $0, text: text) })
  }

  init(name: String, books: Identified<Book>, annex: Annex??, notes: [String]) {
    self.name = name
    self.books = books
    self.annex = annex
    self.notes = notes
  }

  static let shape = EditableShape<Library>.members(
    Library.init(name:books:annex:notes:), StoredMember("name", \.name), StoredMember("books", \.books),
    StoredMember("annex", \.annex),
    StoredMember("notes", \.notes), computed: [ComputedMember("titles", readOnly: \.titles, from: \.books)])

  /// Returns the JSON that the encoder writes in one piece.
  static func json<Value: Editable>(_ value: Value) -> [UInt8] {
    var writer = JSONWriter()
    Value.shape.encode(value, into: &writer)
    return writer.bytes
  }

  /// Returns the content of a response with a value.
  static func content<Value: Editable>(_ value: Value) -> [UInt8] { json(value) + Array("\n".utf8) }
}

/// Returns a description of the first difference of two texts, or nil if they are equal.
///
/// Expecting `==` instead would compute a complete difference of millions of bytes on failure.
func difference(_ actual: [UInt8], _ expected: [UInt8]) -> String? {
  if actual == expected { return nil }
  let index = zip(actual, expected).prefix { $0 == $1 }.reduce(0) { count, _ in count + 1 }
  let texts = [actual, expected].map {
    String(decoding: $0[max(0, index - 20)..<min($0.count, index + 20)], as: UTF8.self)
  }
  return "at \(index) of \(actual.count): “\(texts[0])”, expected “\(texts[1])” (\(expected.count) bytes)"
}
