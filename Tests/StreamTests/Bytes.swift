/// A text that is compared by its bytes: Swift's own `==` takes both normal forms of “é” for one.
struct Bytes: Hashable, CustomStringConvertible {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (a: Bytes, b: Bytes) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }
  func hash(into hasher: inout Hasher) { hasher.combine(Array(text.utf8)) }

  var description: String { text }
}
