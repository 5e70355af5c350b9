import BinderyJSON

/// Parses a text that must be JSON.
func parsed(_ text: String) throws(JSONSyntaxError) -> JSONNode {
  try JSONDocument(parsing: Array(text.utf8)).root
}

/// Why bytes are not JSON; nil when they are.
func refusal(of bytes: [UInt8], maximumDepth: Int = 64) -> JSONSyntaxError? {
  do throws(JSONSyntaxError) {
    _ = try JSONDocument(parsing: bytes, maximumDepth: maximumDepth)
    return nil
  } catch {
    return error
  }
}

func refusal(of text: String) -> JSONSyntaxError? { refusal(of: Array(text.utf8)) }

/// What a writer writes.
func written(_ write: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  write(&writer)
  return String(decoding: writer.bytes, as: UTF8.self)
}

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
