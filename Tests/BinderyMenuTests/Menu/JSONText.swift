import BinderyJSON

/// JSON encoding of strings.
enum JSONText {
  /// Returns a string as JSON.
  static func of(_ text: String) throws -> [UInt8] {
    var writer = JSONWriter()
    writer.string(text)
    return writer.bytes
  }
}
