import BinderyHTTP
import Testing

@Suite struct HTTPDateTests {
  @Test(
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (-2_208_988_800, "Mon, 01 Jan 1900 00:00:00 GMT"),
      (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"), (.min, "Mon, 01 Jan 0001 00:00:00 GMT"),
      (253_402_300_800, "Fri, 31 Dec 9999 23:59:59 GMT"), (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ] as [(Int64, String)])
  func `a date is formatted as RFC 9110 requires`(seconds: Int64, expected: String) {
    #expect(String(decoding: HTTPDate.bytes(seconds: seconds), as: UTF8.self) == expected)
  }
}
