import BinderyJSON

/// Texts as JSON.
enum JSONText {
  static func of(_ text: String) throws -> [UInt8] {
    var writer = JSONWriter()
    writer.string(text)
    return writer.bytes
  }
}
