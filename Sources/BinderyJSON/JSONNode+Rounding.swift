extension JSONNode {
  /// Whether a number would be written with another value as a `Double`.
  package var isRoundedByDouble: Bool {
    guard let number = double else { return true }
    var writer = JSONWriter()
    writer.double(number)
    guard let rounded = try? JSONDocument(parsing: writer.bytes) else { return true }
    return !rounded.root.equals(self)
  }

  /// Whether the value is a number without fraction and exponent.
  package var isPlainInteger: Bool {
    kind == .number
      && text.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-") }
  }
}
