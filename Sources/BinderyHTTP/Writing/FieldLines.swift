import BinderyText

/// Several serialized field lines, built once for many responses.
///
/// They are written with a ``ResponseWriter``, so they contain only valid field lines.
package struct FieldLines: Sendable {
  let bytes: [UInt8]

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
  /// Appends prepared field lines.
  ///
  /// - Complexity: O(size of the lines), at the speed of a memory copy.
  package mutating func append(_ lines: FieldLines) {
    bytes.append(copying: lines.bytes.span)
  }
}

extension OutputSpan<UInt8> {
  /// Appends prepared field lines.
  package mutating func append(_ lines: FieldLines) { append(copying: lines.bytes.span) }
}
