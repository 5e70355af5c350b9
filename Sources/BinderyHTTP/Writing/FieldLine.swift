/// A field that is sent often and always the same: made once, then appended as it is.
package struct FieldLine: Sendable {
  let bytes: [UInt8]

  /// A field line; control characters in the value become blanks.
  package init(_ name: FieldName, _ value: String) {
    bytes =
      Array("\(name.spelling): ".utf8) + value.utf8.map { ByteClass.fieldValue.contains($0) ? $0 : .space }
      + [.carriageReturn, .lineFeed]
  }
}

extension ResponseWriter {
  /// Appends a field that was made before.
  package mutating func field(_ line: FieldLine) {
    edit { $0.append(contentsOf: line.bytes) }
  }
}
