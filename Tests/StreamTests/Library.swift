import BinderyCore
import BinderyJSON

/// A model whose text is long in every way in which one can be.
struct Library: Model {
  struct Book: Identifiable, Bindable {
    let id: Int
    var text: String
    static let shape = Shape<Book>.members(Book.init, Member("id", id: \.id), Member("text", \.text))
  }

  enum Annex: Bindable {
    case closed
    case open([String: Int])
    static let shape = Shape<Annex>.cases(
      Case("closed", .closed) { if case .closed = $0 { () } else { nil } },
      Case("open", Annex.open) { if case .open(let it) = $0 { it } else { nil } })
  }

  var name = "Alexandria"
  var books: Identified<Book>
  var annex: Annex?? = .some(.open(Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("shelf \($0)", $0) })))
  var notes: [String] = []
  var titles: [String] { books.map { String($0.text.prefix(100)) } }

  /// - Parameter bookBytes: how long the text of each is.
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

  static let shape = Shape<Library>.members(
    Library.init(name:books:annex:notes:), Member("name", \.name), Member("books", \.books), Member("annex", \.annex),
    Member("notes", \.notes), computed: [Computed("titles", readOnly: \.titles, from: \.books)])

  /// What the ordinary encoder writes.
  static func json<Value: Bindable>(_ value: Value) -> [UInt8] {
    var writer = JSONWriter()
    Value.shape.encode(value, into: &writer)
    return writer.bytes
  }
}

/// Where two texts part, and what stands there; nil where they are the same. `==` in an expectation would have the
/// differences of millions of bytes worked out.
func difference(_ one: [UInt8], _ other: [UInt8]) -> String? {
  if one == other { return nil }
  let index = zip(one, other).prefix { $0 == $1 }.reduce(0) { count, _ in count + 1 }
  let texts = [one, other].map { String(decoding: $0[max(0, index - 20)..<min($0.count, index + 20)], as: UTF8.self) }
  return "at \(index) of \(one.count) and \(other.count): “\(texts[0])” and “\(texts[1])”"
}
