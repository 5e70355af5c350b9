/// A parameter of a statement. All are sent in binary format.
enum PostgreSQLValue: Sendable {
  case integer(Int)
  case text(String)
  case bytes([UInt8])
  case null

  /// The object id of the type, which is the same on every server (pg_type.dat); 0 for the type that the statement
  /// needs.
  var type: UInt32 {
    switch self {
    case .integer: 20
    case .text: 25
    case .bytes: 17
    case .null: 0
    }
  }

  /// The approximate number of bytes of the value.
  var byteCount: Int {
    switch self {
    case .integer, .null: 8
    case .text(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    }
  }

  /// The value in binary format; nil for NULL.
  var encoded: [UInt8]? {
    switch self {
    case .integer(let number): (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    case .null: nil
    }
  }
}
