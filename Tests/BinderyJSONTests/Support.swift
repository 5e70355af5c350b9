import BinderyJSON

/// Parses a text that must be valid JSON.
func parsed(_ text: String) throws(JSONSyntaxError) -> JSONNode {
  try JSONDocument(parsing: Array(text.utf8)).root
}

/// Returns the syntax error of bytes that are not valid JSON; nil if they are valid.
func syntaxError(in bytes: [UInt8], maximumDepth: Int = 64) -> JSONSyntaxError? {
  do throws(JSONSyntaxError) {
    _ = try JSONDocument(parsing: bytes, maximumDepth: maximumDepth)
    return nil
  } catch {
    return error
  }
}

func syntaxError(in text: String) -> JSONSyntaxError? { syntaxError(in: Array(text.utf8)) }

/// Returns the text that a closure writes.
func written(_ write: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  write(&writer)
  return String(decoding: writer.bytes, as: UTF8.self)
}
