/// Why a text is not JSON, and where (RFC 8259).
public struct JSONSyntaxError: Error, Sendable, Equatable {
  /// The offset, in bytes from the beginning of the text, of what could not be read.
  public var offset: Int

  /// What is wrong there.
  public var reason: Reason

  public init(offset: Int, reason: Reason) {
    self.offset = offset
    self.reason = reason
  }

  /// What can be wrong with a text.
  public enum Reason: Sendable, Equatable {
    case byteOrderMark
    case controlCharacter
    case invalidEscape
    case invalidNumber
    case invalidUTF8
    case loneSurrogate
    case tooDeep(limit: Int)
    case tooLarge(limit: Int)
    case trailingBytes
    case unexpectedByte(UInt8)
    case unexpectedEnd
  }
}

extension JSONSyntaxError: CustomStringConvertible {
  public var description: String { "\(reason) at byte \(offset)" }
}

extension JSONSyntaxError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .byteOrderMark: "a byte order mark"
    case .controlCharacter: "an unescaped control character in a string"
    case .invalidEscape: "an invalid escape in a string"
    case .invalidNumber: "an invalid number"
    case .invalidUTF8: "invalid UTF-8"
    case .loneSurrogate: "an escaped surrogate without its other half"
    case .tooDeep(let limit): "more than \(limit) nested arrays and objects"
    case .tooLarge(let limit): "more than \(limit) bytes"
    case .trailingBytes: "something after the end of the value"
    case .unexpectedByte(let byte): "an unexpected \(Self.name(of: byte))"
    case .unexpectedEnd: "an unexpected end"
    }
  }

  private static func name(of byte: UInt8) -> String {
    if (0x21...0x7E).contains(byte) { return "'\(Unicode.Scalar(byte))'" }
    return "byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
