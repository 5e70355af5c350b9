import JSON

/// What a loop lends to one write after the other, so that a usual one takes no memory but for what it changes.
struct WritingRoom {
  var reader = JSONReader()
  /// Where the JSON of what was written may be put.
  var text: [UInt8] = []

  /// Takes back where the content of an answer stood that has been sent.
  mutating func takeBack(_ response: borrowing Response) {
    if case .whole(let bytes) = response.content, bytes.count <= Self.keptBytes { text = bytes }
  }

  /// As much as a noted scalar has.
  private static let keptBytes = 1_024
}
