import BinderyText

/// A list of names by which JSON is read. A position may have no name.
///
/// The names are in one array, so that comparing a text with one of them retains nothing.
package struct NameList: Sendable {
  private var bytes: [UInt8] = []
  /// The range of each name in `bytes`; nil for a position without a name.
  private var ranges: [Range<Int>?] = []

  package init(_ names: [String?]) {
    for name in names {
      let start = bytes.count
      if let name { bytes += name.utf8 }
      ranges.append(name == nil ? nil : start..<bytes.count)
    }
  }

  /// The number of positions.
  package var count: Int { ranges.count }

  /// Returns the position of a name; nil if the list does not have it.
  ///
  /// - Parameters:
  ///   - text: The name in UTF-8.
  ///   - expected: The position that is compared first, up to ``count``.
  func position(of text: Span<UInt8>, expected: Int = 0) -> Int? {
    var position = expected
    for _ in 0..<count {
      if position >= count { position = 0 }
      if isName(text, at: position) { return position }
      position += 1
    }
    return nil
  }

  /// Returns the position of the name that is the string of a node; nil for any other node.
  package func position(of node: JSONNode) -> Int? { node.withUTF8 { position(of: $0) } ?? nil }

  private func isName(_ text: Span<UInt8>, at position: Int) -> Bool {
    guard let range = ranges[position], range.count == text.count else { return false }
    return bytes.span.extracting(range).hasSameBytes(as: text)
  }
}
