/// One serialized field line, built once for many responses.
package struct FieldLine: Sendable {
  let bytes: [UInt8]

  /// Creates a field line. Control characters in the value are replaced by spaces.
  package init(_ name: FieldName, _ value: String) {
    bytes =
      Array("\(name.spelling): ".utf8) + value.utf8.map { ByteClass.fieldValue.contains($0) ? $0 : .space }
      + [.carriageReturn, .lineFeed]
  }
}

/// Several serialized field lines, built once for many responses.
///
/// They are written with a ``ResponseWriter``, so they contain only valid field lines.
package struct FieldLines: Sendable {
  let bytes: [UInt8]

  /// The size in bytes, including line ends.
  package var byteCount: Int { bytes.count }

  /// Creates an empty list.
  package init() { bytes = [] }

  /// Creates field lines.
  ///
  /// - Parameter write: Writes fields, and nothing else.
  package init(_ write: (inout ResponseWriter) -> Void) {
    var writer = ResponseWriter()
    write(&writer)
    bytes = writer.takeBytes()
  }
}

extension ResponseWriter {
  /// Appends a prepared field line.
  package mutating func field(_ line: FieldLine) {
    edit { $0.append(contentsOf: line.bytes) }
  }

  /// Appends prepared field lines.
  ///
  /// - Complexity: O(size of the lines), at the speed of a memory copy.
  package mutating func append(_ lines: FieldLines) {
    edit { $0.append(contentsOf: lines.bytes) }
  }
}
