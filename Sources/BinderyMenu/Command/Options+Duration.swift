extension Options {
  /// A length of time in whole milliseconds.
  package struct Duration: Sendable, Hashable {
    package let milliseconds: Int64

    static func days(_ count: Int64) -> Duration { Duration(milliseconds: count * 86_400_000) }
  }
}

extension Options.Duration: CustomStringConvertible {
  private static let units: KeyValuePairs<String, Int64> = [
    "d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1,
  ]

  /// Reads `30`, `30s`, `500ms`, `2m`, `12h` or `7d`.
  init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count)
    guard let number = Int64(digits),
      let factor = unit.isEmpty ? 1_000 : Self.units.first(where: { $0.key == unit })?.value
    else { return nil }
    let (product, overflows) = number.multipliedReportingOverflow(by: factor)
    guard !overflows else { return nil }
    milliseconds = product
  }

  /// In the largest unit that is exact.
  package var description: String {
    guard milliseconds != 0, let unit = Self.units.first(where: { milliseconds % $0.value == 0 }) else { return "0s" }
    return "\(milliseconds / unit.value)\(unit.key)"
  }
}
