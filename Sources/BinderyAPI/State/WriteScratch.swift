import BinderyJSON

/// What a loop lends to one write after the other, so that a usual one takes no memory but for what it changes.
struct WriteScratch {
  var reader = JSONReader()
  /// Where the JSON of what was written may be put.
  var text: [UInt8] = []
  var forms = WriteResponseTemplates()

  /// Takes back where the content of an answer stood that has been written.
  mutating func takeBack(_ content: consuming [UInt8]?) {
    if let content, content.count <= Self.keptBytes { text = content }
  }

  /// As much as a noted scalar has.
  private static let keptBytes = 1_024
}
