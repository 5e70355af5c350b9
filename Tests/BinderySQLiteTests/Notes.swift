import BinderyCore

/// A model with every kind of stored member and one computed member.
struct Notes: StateModel {
  var notes: Identified<Note>
  var counts: [String: Int]
  var draft: Note??
  /// The number of settled edits. Read-only for clients.
  var total: Int
  var secret: String

  init(
    notes: Identified<Note> = [], counts: [String: Int] = [:], draft: Note?? = nil, total: Int = 0, secret: String = ""
  ) {
    self.notes = notes
    self.counts = counts
    self.draft = draft
    self.total = total
    self.secret = secret
  }

  /// - Complexity: O(n) in the number of notes.
  var texts: [String] { notes.map(\.text) }

  mutating func settle(from base: Notes) throws(InvalidState) {
    total = base.total + 1
    secret = "s\(total)"
  }

  static let shape = EditableShape<Notes>.members(
    Notes.init(notes:counts:draft:total:secret:), StoredMember("notes", \.notes), StoredMember("counts", \.counts),
    StoredMember("draft", \.draft), StoredMember("total", readOnly: \.total),
    StoredMember(hidden: "secret", \.secret, default: ""),
    computed: [ComputedMember("texts", readOnly: \.texts, from: \.notes)])
}

struct Note: Editable, Identifiable {
  let id: Int
  var text: String
  var stars: Int

  static let shape = EditableShape<Note>.members(
    Note.init, StoredMember("id", id: \.id), StoredMember("text", \.text), StoredMember("stars", \.stars, default: 0))
}

extension Notes {
  /// Makes one of several kinds of edits, chosen by the number.
  mutating func edit(_ number: Int) {
    switch number % 7 {
    case 0, 1: try? notes.insert(Note(id: number, text: "note \(number)", stars: 0), at: notes.count / 2)
    case 2: counts["k\(number % 5)"] = number
    case 3: counts["k\(number % 3)"] = nil
    case 4: if let id = notes.last?.id { notes.move(id: id, to: 0) }
    case 5: draft = number % 2 == 0 ? .some(nil) : .some(Note(id: number, text: "é", stars: 1))
    default:
      if notes.count > 20 { notes.remove(at: number % 20) }
      if let id = notes.first?.id { notes.edit(id: id) { $0.stars += 1 } }
    }
  }
}
