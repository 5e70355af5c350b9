import BinderyText

/// A list of names by which JSON is read. A position may have no name.
///
/// The names are in one array, so that comparing a text with one of them retains nothing.
package struct NameList: Sendable {
  private var bytes: [UInt8] = []
  /// The range of each name in `bytes`; nil for a position without a name.
  private var ranges: [Range<Int>?] = []
  /// The position of each name in a long list; nil for a short one, in which a search is faster.
  private var positions: [[UInt8]: Int]?

  /// The number of names up to which a list is short.
  private static var shortCount: Int { 16 }

  package init(_ names: [String?]) {
    for name in names {
      let start = bytes.count
      if let name { bytes += name.utf8 }
      ranges.append(name == nil ? nil : start..<bytes.count)
    }
    guard count > Self.shortCount else { return }
    var positions: [[UInt8]: Int] = [:]
    for (position, name) in names.enumerated() {
      guard let name else { continue }
      let key = Array(name.utf8)
      if positions[key] == nil { positions[key] = position }
    }
    self.positions = positions
  }

  /// The number of positions.
  package var count: Int { ranges.count }

  /// Returns the position of a name; nil if the list does not have it.
  ///
  /// - Parameters:
  ///   - text: The name in UTF-8.
  ///   - expected: The position that is compared first, up to ``count``.
  package func position(of text: Span<UInt8>, expected: Int = 0) -> Int? {
    // The count is tested first, because a search in a short list should not retain the dictionary.
    if count > Self.shortCount, let positions {
      if expected < count, isName(text, at: expected) { return expected }
      return positions[[UInt8](copying: text)]
    }
    var position = expected
    for _ in 0..<count {
      if position >= count { position = 0 }
      if isName(text, at: position) { return position }
      position += 1
    }
    return nil
  }

  /// Returns the position of the name that is the string of a node; nil for any other node.
  package func position(of node: JSONNode) -> Int? {
    let entry = node.entry
    // Not in a closure, which would retain the list.
    if entry.kind == .string {
      let bytes = node.document.bytes
      return position(of: bytes.span.extracting(entry.content))
    }
    return node.withUTF8 { position(of: $0) } ?? nil
  }

  private func isName(_ text: Span<UInt8>, at position: Int) -> Bool {
    guard let range = ranges[position], range.count == text.count else { return false }
    return bytes.span.extracting(range).hasSameBytes(as: text)
  }
}
