import BinderyText

/// The reason and position at which a text violates the JSON grammar (RFC 8259).
@usableFromInline
package struct JSONSyntaxError: Error, Sendable, Equatable {
  /// The position of the error, in bytes from the beginning of the text, starting at zero.
  package var offset: Int

  /// The kind of error.
  package var reason: Reason

  /// Creates an error at a byte offset.
  package init(offset: Int, reason: Reason) {
    self.offset = offset
    self.reason = reason
  }

  /// Returns the position of the error in a text.
  ///
  /// - Returns: The number of the line and that of the character in it, both counted from 1.
  package func position(in text: [UInt8]) -> (line: Int, column: Int) {
    let lines = text.prefix(offset).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return (max(1, lines.count), String(decoding: lines.last ?? [], as: UTF8.self).count + 1)
  }

  /// The kinds of syntax error.
  @usableFromInline
  package enum Reason: Sendable, Equatable {
    /// The text begins with a byte order mark, which RFC 8259 §8.1 forbids senders to add.
    case byteOrderMark
    case controlCharacter
    case invalidEscape
    case invalidNumber
    case invalidUTF8
    /// A `\uXXXX` escape is half of a surrogate pair, so it has no UTF-8 encoding.
    case loneSurrogate
    /// More than `limit` arrays and objects are nested.
    case tooDeep(limit: Int)
    /// The text is longer than `limit` bytes.
    case tooLarge(limit: Int)
    /// The text continues after the end of its one value.
    case trailingBytes
    case unexpectedByte(UInt8)
    case unexpectedEnd
  }
}

extension JSONSyntaxError: CustomStringConvertible {
  @usableFromInline package var description: String { "\(reason) at byte offset \(offset)" }
}

extension JSONSyntaxError.Reason: CustomStringConvertible {
  @usableFromInline package var description: String {
    switch self {
    case .byteOrderMark: "unexpected byte order mark"
    case .controlCharacter: "unescaped control character in a string"
    case .invalidEscape: "invalid escape sequence in a string"
    case .invalidNumber: "invalid number (missing digit or leading zero)"
    case .invalidUTF8: "invalid UTF-8"
    case .loneSurrogate: "unpaired surrogate escape in a string"
    case .tooDeep(let limit): "arrays and objects nested more than \(limit) levels deep"
    case .tooLarge(let limit): "text longer than \(limit) bytes"
    case .trailingBytes: "unexpected data after the end of the JSON value"
    case .unexpectedByte(let byte): "unexpected \(Self.name(of: byte))"
    case .unexpectedEnd: "unexpected end of input"
    }
  }

  private static func name(of byte: UInt8) -> String {
    if (0x21...0x7E).contains(byte) { return "character '\(Unicode.Scalar(byte))'" }
    return "byte 0x" + byte.hexadecimal(width: 2)
  }
}
