/// Field lines that were written once, for many responses to repeat.
///
/// They come from a ``ResponseWriter``, so what cannot be written there cannot stand here either.
package struct FieldLines: Sendable {
  let bytes: [UInt8]

  /// How many bytes they have, line ends included.
  package var byteCount: Int { bytes.count }

  /// No lines.
  package init() { bytes = [] }

  /// - Parameter write: writes fields, and nothing else.
  package init(_ write: (inout ResponseWriter) -> Void) {
    var writer = ResponseWriter()
    write(&writer)
    bytes = writer.takeBytes()
  }
}

extension ResponseWriter {
  /// Appends field lines that were written before.
  ///
  /// - Complexity: O(their length), at the speed of a copy.
  package mutating func append(_ lines: FieldLines) {
    edit { $0.append(contentsOf: lines.bytes) }
  }
}
