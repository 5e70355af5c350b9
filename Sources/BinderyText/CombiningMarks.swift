extension String {
  /// Whether more combining marks follow each other than the Stream-Safe Text Format allows (UAX #15 §13).
  ///
  /// `==` and `hash(into:)` sort the marks of a character, in a time that is quadratic in their number. Texts of
  /// clients that become keys or elements of Swift's collections, or are compared with names, must not have so many.
  package var hasTooManyMarks: Bool {
    let maximum = 30
    guard utf8.count > 2 * maximum else { return false }
    var count = 0
    for scalar in unicodeScalars {
      let isMark = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
      count = isMark ? count + 1 : 0
      if count > maximum { return true }
    }
    return false
  }
}
