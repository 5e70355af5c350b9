import BinderyText

extension ResponseWriter {
  /// Appends a field. Control characters in its value are replaced by spaces, which prevents response splitting.
  ///
  /// - Complexity: O(length of the value).
  package mutating func field(_ name: FieldName, _ value: borrowing Span<UInt8>) {
    FieldName.withLineStart(of: name) { start in
      bytes.append(addingCapacity: start.count + value.count + 2) { $0.append(line: start, value: value) }
    }
  }

  /// Appends a field. Control characters in its value are replaced by spaces.
  ///
  /// - Complexity: O(length of the value).
  package mutating func field(_ name: FieldName, _ value: String) { field(name, value.utf8.span) }

  /// Appends a field with a nonnegative number.
  package mutating func field(_ name: FieldName, _ value: Int) {
    fields(upTo: name.spelling.utf8.count + Self.decimalDigits + 4) { $0.appendField(name, value) }
  }

  /// Appends several fields at once, which is faster than separate calls.
  ///
  /// - Parameters:
  ///   - capacity: The maximum size of the field lines in bytes.
  ///   - build: Appends field lines, and nothing else.
  package mutating func fields(upTo capacity: Int, building build: (inout OutputSpan<UInt8>) -> Void) {
    bytes.append(addingCapacity: capacity, initializingWith: build)
  }

  /// Appends a field with a custom name. Bytes that are not allowed in a name are replaced by `-`.
  ///
  /// A field without a name, and one that the server alone writes, is left out: a second `Content-Length` or
  /// `Transfer-Encoding` would make the end of the message ambiguous (RFC 9112 §6.3).
  ///
  /// - Complexity: O(length of name and value).
  package mutating func field(custom name: String, _ value: String) {
    let name = name.utf8.map { ByteClass.token.contains($0) ? $0 : UInt8(ascii: "-") }
    guard !name.isEmpty, !Self.reservedNames.contains(name.map { $0 | 0x20 }) else { return }
    bytes.append(contentsOf: name)
    append(": ")
    for byte in value.utf8 { bytes.append(ByteClass.fieldValue.contains(byte) ? byte : .space) }
    append("\r\n")
  }

  /// The names of the fields that frame a message or are for one connection only (RFC 9110 §7.6.1), and of those that
  /// the server sets itself. Setting bit 0x20 lowercases letters, and keeps hyphens.
  private static let reservedNames = Set(
    [
      "connection", "content-length", "content-type", "cross-origin-resource-policy", "date", "keep-alive",
      "proxy-connection", "state-history", "te", "trailer", "transfer-encoding", "upgrade", "x-content-type-options",
    ].map { Array($0.utf8) })
}
