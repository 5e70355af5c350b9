/// A text that is compared by its bytes.
///
/// `String ==` compares by canonical equivalence: it treats both normal forms of “é” as equal.
struct Bytes: Hashable, CustomStringConvertible {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (lhs: Bytes, rhs: Bytes) -> Bool { lhs.text.utf8.elementsEqual(rhs.text.utf8) }
  func hash(into hasher: inout Hasher) { hasher.combine(Array(text.utf8)) }

  var description: String { text }
}
