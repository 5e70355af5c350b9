import BinderyCore
import BinderyJSON
import Synchronization

/// Counts what a ``Ledger`` does.
enum Work {
  private struct Counts {
    var getters = 0
    var encodings = 0
    var decodings = 0
    var getterNanoseconds: Int64 = 0
    var encodingNanoseconds: Int64 = 0
    var now: Int64 = 0
    var interruption: (event: Event, times: Int, body: @Sendable () -> Void)?
  }

  enum Event {
    case getter, encoding, decoding, settling
  }

  private static let counts = Mutex(Counts())

  static var getters: Int { counts.withLock(\.getters) }
  static var encodings: Int { counts.withLock(\.encodings) }
  static var decodings: Int { counts.withLock(\.decodings) }
  /// The processor time of the thread, which only getters and encodings use.
  static var now: Int64 { counts.withLock(\.now) }
  static var getterNanoseconds: Int64 {
    get { counts.withLock(\.getterNanoseconds) }
    set { counts.withLock { $0.getterNanoseconds = newValue } }
  }

  static var encodingNanoseconds: Int64 {
    get { counts.withLock(\.encodingNanoseconds) }
    set { counts.withLock { $0.encodingNanoseconds = newValue } }
  }

  static func reset() { counts.withLock { $0 = Counts() } }

  /// Runs a closure at the next events of a kind.
  static func interrupt(_ event: Event, times: Int = 1, _ body: @escaping @Sendable () -> Void) {
    counts.withLock { $0.interruption = (event, times, body) }
  }

  static func count(_ event: Event) {
    let interruption = counts.withLock { counts -> (event: Event, times: Int, body: @Sendable () -> Void)? in
      switch event {
      case .encoding:
        counts.encodings += 1
        counts.now += counts.encodingNanoseconds
      case .decoding: counts.decodings += 1
      case .settling: break
      case .getter:
        counts.getters += 1
        counts.now += counts.getterNanoseconds
      }
      guard let interruption = counts.interruption, interruption.event == event else { return nil }
      // The closure may cause such events itself.
      counts.interruption = nil
      return interruption
    }
    guard let (_, times, body) = interruption else { return }
    body()
    if times > 1 { interrupt(event, times: times - 1, body) }
  }
}

/// A scalar that counts how often it is encoded and decoded.
struct Mark: Editable, Hashable {
  let text: String

  static let shape = EditableShape<Mark>.scalar(
    "Mark", schemaType: "string", example: "\"1\"", expected: "a mark",
    encode: { mark, writer in
      Work.count(.encoding)
      writer.string(mark.text)
    },
    decode: { node in
      guard let text = node.string else { return nil }
      Work.count(.decoding)
      return Mark(text: text)
    })
}

struct Leaf: Editable, Identifiable {
  let id: String
  var marks: [Mark]

  static let shape = EditableShape<Leaf>.members(
    Leaf.init, StoredMember("id", id: \.id), StoredMember("marks", \.marks))
}

enum Kind: Editable {
  case none
  case many([Mark])

  static let shape = EditableShape<Kind>.cases(
    EnumCase("none", Kind.none) { if case .none = $0 { () } else { nil } },
    EnumCase("many", Kind.many) { if case .many(let marks) = $0 { marks } else { nil } })
}

struct Book: Editable {
  var name = "b"
  var sum: Int {
    Work.count(.getter)
    return 6
  }

  static let shape = EditableShape<Book>.members(
    Book.init(name:), StoredMember("name", \.name), computed: [ComputedMember("sum", readOnly: \.sum)])
}

/// A model with a getter that reads everything.
struct Ledger: StateModel {
  var title = "Ledger"
  var marks: [Mark]
  var pages = ["one": [Mark(text: "1")]]
  var kind = Kind.many([Mark(text: "1")])
  var maybe: [Mark]? = [Mark(text: "1")]
  var leaves = Identified(uniquing: [Leaf(id: "first", marks: [Mark(text: "1")])])
  var book = Book()
  var sum: Int {
    Work.count(.getter)
    return marks.count + 3
  }
  var headline: String {
    get {
      Work.count(.getter)
      return title
    }
    set { title = newValue }
  }

  init(title: String = "Ledger", marks: Int = 3) {
    self.title = title
    self.marks = (1...marks).map { Mark(text: String($0)) }
  }

  init(
    title: String, marks: [Mark], pages: [String: [Mark]], kind: Kind, maybe: [Mark]?, leaves: Identified<Leaf>,
    book: Book
  ) {
    (self.title, self.marks, self.pages, self.kind) = (title, marks, pages, kind)
    (self.maybe, self.leaves, self.book) = (maybe, leaves, book)
  }

  static let shape = EditableShape<Ledger>.members(
    Ledger.init(title:marks:pages:kind:maybe:leaves:book:), StoredMember("title", \.title),
    StoredMember("marks", \.marks), StoredMember("pages", \.pages), StoredMember("kind", \.kind),
    StoredMember("maybe", \.maybe), StoredMember("leaves", \.leaves), StoredMember("book", \.book),
    computed: [ComputedMember("sum", readOnly: \.sum), ComputedMember("headline", \.headline)])

  func settle(from base: Ledger) throws(InvalidState) { Work.count(.settling) }
}
