/// Finds the name that a client probably meant.
package enum Spelling {
  /// Returns the name that is most similar to a text; nil if none is similar, or if several are equally similar.
  ///
  /// Case, hyphens and underscores do not count. A name is similar if it begins with the text or the text begins with
  /// it, or if at most a third of the characters differ.
  ///
  /// - Complexity: O(number of names · length²), for at most 1,000 names of at most 64 characters.
  package static func closest(to text: String, among names: some Sequence<String>) -> String? {
    let wanted = normalized(text)
    guard (1...maximumLength).contains(wanted.count) else { return nil }
    var best: (names: [String], distance: Int) = ([], wanted.count < 3 ? 0 : wanted.count / 3)
    for name in names.prefix(1_000) {
      let candidate = normalized(name)
      guard candidate.count <= maximumLength else { continue }
      let isBeginning =
        min(wanted.count, candidate.count) >= 3 && (wanted.starts(with: candidate) || candidate.starts(with: wanted))
      let distance = wanted == candidate ? 0 : isBeginning ? 1 : distance(wanted, candidate, atMost: best.distance)
      if distance < best.distance { best.names = [] }
      if distance <= best.distance { best = (best.names + [name], distance) }
    }
    return best.names.count == 1 ? best.names[0] : nil
  }

  /// Returns a sentence with the most similar name, after a space; empty if there is none.
  package static func suggestion(for text: String, among names: some Sequence<String>) -> String {
    closest(to: text, among: names).map { " Did you mean “\($0)”?" } ?? ""
  }

  private static var maximumLength: Int { 64 }

  private static func normalized(_ text: String) -> [Unicode.Scalar] {
    text.lowercased().unicodeScalars.filter { $0 != "-" && $0 != "_" }
  }

  /// Returns the number of scalars to insert, remove, replace or swap with a neighbor (the optimal string alignment
  /// distance); a number above the limit if it is greater.
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], atMost limit: Int) -> Int {
    guard abs(a.count - b.count) <= limit else { return limit + 1 }
    var previous: [Int] = []
    var current = Array(0...b.count)
    for i in a.indices {
      let beforePrevious = previous
      previous = current
      current[0] = i + 1
      for j in b.indices {
        current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          current[j + 1] = min(current[j + 1], beforePrevious[j - 1] + 1)
        }
      }
    }
    return current[b.count]
  }

  /// Returns names, or texts of another kind, as one text: at most 20 of them.
  package static func list(_ texts: [String], of kind: String = "names") -> String {
    let shown = texts.prefix(20).joined(separator: ", ")
    return texts.count > 20 ? "\(shown), … (\(texts.count) \(kind))" : shown
  }

  /// Returns the allowed values in words, at most 20 of them: the only one, or “one of” several.
  static func choice(of values: [String]) -> String {
    let list = list(values, of: "values")
    return values.count == 1 ? list : "one of \(list)"
  }
}
