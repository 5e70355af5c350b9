/// A value in a parsed text, or the name of a member.
public struct JSONNode: Sendable {
  let document: JSONDocument
  let index: Int

  /// What a JSON value can be.
  public enum Kind: Sendable {
    case null, bool, number, string, array, object
  }

  var entry: TapeEntry { document.tape[index] }

  /// What the value is.
  public var kind: Kind {
    switch entry.kind {
    case .null: .null
    case .false, .true: .bool
    case .number: .number
    case .string, .escapedString: .string
    case .array: .array
    case .object: .object
    }
  }

  /// Whether the value is `null`.
  public var isNull: Bool { entry.kind == .null }

  /// The truth value; nil when it is none.
  public var bool: Bool? {
    switch entry.kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The bytes that spell the value in the text, a string's quotes and a container's brackets included.
  public var text: ArraySlice<UInt8> { document.bytes[entry.range] }

  /// The beginning of the value's text, for messages: whole characters, and `…` where something was cut.
  ///
  /// - Parameter maximum: How many bytes of the text to show at most.
  public func excerpt(maximum: Int) -> String {
    let text = text
    guard text.count > maximum else { return String(decoding: text, as: UTF8.self) }
    var end = text.startIndex + max(maximum, 0)
    // A continuation byte belongs to a scalar that began before it.
    while end > text.startIndex, text[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: text[..<end], as: UTF8.self) + "…"
  }
}
