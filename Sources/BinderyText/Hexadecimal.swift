extension FixedWidthInteger {
  /// Returns the lower-case hexadecimal digits with leading zeros.
  package func hexadecimal(width: Int) -> String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  package var hexadecimal: String { map { $0.hexadecimal(width: 2) }.joined() }
}
