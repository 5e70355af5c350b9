extension JSONNode {
  /// Whether a number would be written with another value as a `Double`.
  package var isRoundedByDouble: Bool {
    guard let number = double else { return true }
    var writer = JSONWriter()
    writer.double(number)
    guard let rounded = try? JSONDocument(parsing: writer.bytes) else { return true }
    return !rounded.root.equals(self)
  }

  /// Whether a number without fraction and exponent would be written with other digits as a `Double`. Fractions are
  /// rounded, as everywhere in JSON, but integers are often ids.
  package var isRoundedInteger: Bool { isPlainInteger && isRoundedByDouble }

  /// Whether the value is a number without fraction and exponent.
  package var isPlainInteger: Bool {
    kind == .number
      && text.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-") }
  }
}
