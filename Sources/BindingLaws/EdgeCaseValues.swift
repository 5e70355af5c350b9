/// Test values that are known to reveal bugs: limits, unusual Unicode, syntax characters.
enum EdgeCaseValues {
  /// Values of any kind, in canonical JSON.
  static let json = [
    "null", "true", "0", "-0", "1.5", "9223372036854775807", "\"\"", "\"é\"", "[]", "{}", "[null,[1,{}]]",
    "{\"\":null,\"a\":{\"some\":[]},\"b\":1e+300}",
  ]

  /// Strings with different bytes. The first two are canonically equivalent, so Swift's `==` regards them as equal.
  static let strings = [
    "caf\u{E9}", "cafe\u{301}", "", " ", "\u{0}", "\u{7F}\u{85}", "a/b~c", "~0~1", "..", "-", "0", "12", "some", "null",
    "\"\\\u{8}\u{C}\n\r\t", "👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "\u{202E}rtl", "\u{FEFF}bom", "\u{FFFF}", "\u{10FFFF}", "\u{2028}", "ﬀ", "İ",
    "가", "\u{1100}\u{1161}", "%2F%00", "it's", "<script>", String(repeating: "long", count: 40),
    "Z\u{324}\u{317}\u{342}\u{301}", "\r\n", "{}", "名前",
  ]

  /// Strings that most constraints accept.
  static let ordinaryStrings = [
    "a", "Soup", "🍝 Spaghetti", "caf\u{E9}", "cafe\u{301}", "a/b~c", "it's", "\"quoted\"", "名前", "👩‍👩‍👧‍👦", "0", "some",
  ]

  /// Integers near zero, at the limits of `Int`, and where `Double` loses precision.
  static let integers = [
    0, 1, -1, 2, 3, 9, 10, 100, 1000, Int.max, Int.min, Int.max - 1, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1,
  ]

  /// Spellings of numbers: negative zero, subnormal and maximum values, and digits that a `Double` rounds.
  static let numbers = [
    "0", "-0", "1", "-1", "0.1", "1.5", "3.0e8", "5e-324", "2.2250738585072014e-308", "1.7976931348623157e308",
    "9007199254740993", "0.30000000000000004", "1e21", "1e-7", "-123.456", "100000000000000000000",
  ]

  /// Spellings of numbers at the limits of `Float`, and numbers that a `Float` rounds.
  static let floats = [
    "0", "-0", "1", "1.5", "0.1", "16777216", "16777217", "33554433", "3.4028235e38", "-3.4028234663852886e38", "1e-45",
    "1.17549435e-38", "1e10", "-123.456", "0.30000000000000004", "1.00000005960464477539062500001",
  ]

  /// URIs of every form in RFC 3986. Some differ only in case or in escapes.
  static let urls = [
    "https://example.com/menu", "HTTPS://EXAMPLE.com/menu", "http://a/%7e", "http://a/~", "a:", "urn:isbn:0451450523",
    "mailto:a@b.example", "file:///etc/hosts", "http://[::1]:8080/?q#f", "http://[v1.a:b]/", "x://u:p@h:/a//b?/?#/?",
    "http://[1:2:3:4:5:6:192.0.2.1]/", "data:,%00%FF", "x:/..//a", "http://h:99999999999999999999/", "tel:+1-816-555",
  ]

  /// Data in base64: empty, every length of padding, all digits.
  static let data = [
    "", "AA==", "AAA=", "AAAA", "/+8=", "QUJD", "////", "AQIDBAUGBwgJCg==",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  ]

  /// ISO 8601 durations: zero, limits, every unit, spellings of the same duration.
  static let durations = [
    "PT0S", "-PT0S", "PT1.5S", "-PT1.5S", "PT0.000000001S", "-PT0.000000001S", "P1W", "P7D", "PT168H", "P1DT12H",
    "PT90M",
    "PT1H30M", "PT3600S", "-P2WT0.500S", "PT170141183460469231731.687303715S", "-PT170141183460469231731.687303715S",
    "PT0.100000000000S", "P1W2DT3H4M5.006S",
  ]

  /// UUIDs, one with upper-case digits.
  static let uuids =
    (1...8).map { "b10de400-0000-8000-8000-00000000000\($0)" } + ["ffffffff-FFFF-ffff-ffff-ffffffffffff"]

  /// Date-times of RFC 3339: limits, leap days, fractions, offsets, a lower-case separator.
  static let times = [
    "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z",
    "2024-02-29T12:00:00.5Z", "2026-11-21T19:00:00.123+14:00", "2026-11-21t19:00:00z", "1582-10-10T00:00:00-23:59",
    "2000-02-29T23:59:59.001000Z", "2038-01-19T03:14:08.000Z",
  ]

  /// Full dates of RFC 3339: limits, leap days, the Unix epoch.
  static let days = [
    "0001-01-01", "9999-12-31", "1970-01-01", "1969-12-31", "2024-02-29", "2000-02-29", "1900-03-01", "2026-11-21",
    "2026-11-22",
  ]
}
