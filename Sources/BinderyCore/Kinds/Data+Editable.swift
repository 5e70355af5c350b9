import BinderyJSON
public import FoundationEssentials

/// In JSON, data is a string in base64 with padding (RFC 4648 §4).
///
/// Only the canonical encoding is accepted: without white space, and with zeros for the unused bits of the last digit.
extension Data: Editable {
  /// A string: base64 with padding (RFC 4648).
  public static let shape = EditableShape<Data>.scalar(
    "Data", schemaType: "string", contentEncoding: "base64",
    pattern: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
    example: "\"AQID\"", expected: "base64 with padding and without white space (RFC 4648), such as \"AQI=\"",
    encode: { $1.string($0.base64EncodedString()) },
    decode: { node in
      guard let text = node.string, let data = Data(base64Encoded: text) else { return nil }
      // Foundation also accepts other encodings of the same bytes.
      return data.base64EncodedString().isSame(as: text) ? data : nil
    },
    areSame: { $0 == $1 })
}

extension Constraint where Value == Data {
  /// Limits the number of bytes, before they are encoded.
  public static func count(_ range: ClosedRange<Int>) -> Constraint {
    let expected = "data of \(range.lowerBound) to \(range.upperBound) bytes"
    return Constraint(
      rules: [.minimumCount(range.lowerBound), .maximumCount(range.upperBound)], expected
    ) { range.contains($0.count) }
  }
}
