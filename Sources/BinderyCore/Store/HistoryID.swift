/// The identity of a history: of the sequence of revisions that one lineage of the state goes through.
///
/// Revision numbers are comparable only within one history. A store gets a new one when its state is replaced in
/// another way than by commits: by a restored backup, an import, or new initial data.
package struct HistoryID: Hashable, Sendable, CustomStringConvertible {
  /// The number of characters.
  package static let length = 8

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

  /// Eight letters and digits.
  package let text: String

  /// Creates an id from its text; nil unless the text has eight ASCII letters and digits.
  package init?(_ text: String) {
    guard text.utf8.count == Self.length, text.allSatisfy(Self.alphabet.contains) else { return nil }
    self.text = text
  }

  private init(characters: [Character]) { text = String(characters) }

  /// Returns a new id, from the system's random number generator.
  package static func random() -> HistoryID {
    HistoryID(characters: (0..<length).map { _ in alphabet[Int.random(in: alphabet.indices)] })
  }

  package var description: String { text }
}
