extension Attack {
  private static let tonight = "\"tonight\""

  /// RFC 9112 §6.2 and §6.3, RFC 9110 §8.6.
  static let lengths: [Attack] =
    [
      answered("a length", patch + "Content-Length: 9\r\n\r\n\(tonight)" + good, 200, 200),
      answered("a length with leading zeros", patch + "Content-Length: 00009\r\n\r\n\(tonight)" + good, 200, 200),
      answered("a length of zero", patch + "Content-Length: 0\r\n\r\n" + good, 400, 200),
      answered("no length means no body", patch + "\r\n" + good, 400, 200),
      answered("a body with GET", get + "Content-Length: 3\r\n\r\nGET" + good, 200, 200),
      answered(
        "a body with OPTIONS", "OPTIONS /state HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nGET" + good, 204, 200),
      answered(
        "a body with DELETE",
        "DELETE /state/dishes/b10de400-0000-8000-8000-0000000000ff HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nGET"
          + good, 204,
        200),
      answered(
        "a body for an unknown path", "PUT /no HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nGET" + good, 404, 200),
      rejected("a length that is too large", patch + "Content-Length: 1048577\r\n\r\n", 413),
      rejected(
        "a length and a transfer coding", patch + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      rejected(
        "a transfer coding and a length", patch + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
      rejected(
        "an unknown coding and a length", patch + "Transfer-Encoding: x\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
      rejected("two lengths", patch + "Content-Length: 9\r\nContent-Length: 8\r\n\r\n\(tonight)"),
      rejected("the same length twice", patch + "Content-Length: 9\r\ncontent-length: 9\r\n\r\n\(tonight)"),
    ]
    + [
      "9, 9", "9,", ",9", "9;", "+9", "-9", "0x9", "9.0", "9e0", "9 0", "9_0", "nine", "", "\"9\"", "\u{b}9", "9\u{0}",
      "9223372036854775808", "18446744073709551625", "99999999999999999999999999999999", "\u{b9}", "9\u{a0}",
    ].map { rejected("the length “\($0)”", patch + "Content-Length: \($0)\r\n\r\n\(tonight)") }

  /// RFC 9112 §6.1 and §7.
  static let codings: [Attack] =
    ["chunked", "Chunked", "CHUNKED", "chunked \t", "\t chunked"].map {
      answered(
        "the coding “\($0)”", patch + "Transfer-Encoding:\($0)\r\n\r\n9\r\n\(tonight)\r\n0\r\n\r\n" + good, 200, 200)
    }
    + [
      "", "chunke", "xchunked", "chunkedx", "\"chunked\"", "'chunked'", "chunked;q=1", "chunked, identity",
      "chunked, gzip", "chunked, chunked", "chunked,", ",chunked", "chunked,,", "gzip", "identity", "gzip;q=1, chunked",
      "gzip chunked", "chunked\u{b}", "\u{b}chunked", "\u{c}chunked", "chunked\u{0}", "ch\u{fc}nked", "chun\rked",
      "chunked\u{a0}", "[chunked]",
    ].map { rejected("the coding “\($0)”", patch + "Transfer-Encoding: \($0)\r\n\r\n0\r\n\r\n") }
    + ["gzip, chunked", "gzip,chunked", "identity, chunked", "x, y, Chunked"].map {
      rejected("the codings “\($0)”", patch + "Transfer-Encoding: \($0)\r\n\r\n0\r\n\r\n")
    }
    + [
      rejected(
        "chunked on two lines", patch + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      rejected(
        "chunked before another coding", patch + "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n"),
      rejected("another coding before chunked", patch + "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n"),
      rejected("chunked in HTTP/1.0", "PATCH /state/time HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      rejected("a space before the colon of Transfer-Encoding", patch + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
      answered(
        "a field name with an underscore is not Transfer-Encoding", get + "Transfer_Encoding: chunked\r\n\r\n" + good,
        200, 200),
    ]

  /// RFC 9112 §7.1. Each text is the start of the chunked body.
  static let chunks: [Attack] =
    [
      "", "g", "-1", "+1", " 9", "0x9", "9 ", "9\t", "9_", "9.", "9,", "9;", "9;=b", "9;a=",
      "9;a=\"b", "9;a=\"b\"c", "9;a b", "9;a\u{0}", "9 a", "10000000000000000", "FFFFFFFFFFFFFFFFF", "8000000000000000",
      "9;\u{b}a", "9\u{b}",
    ].map { rejected("the chunk size “\($0)”", chunked + "\($0)\r\n\(tonight)\r\n0\r\n\r\n") }
    + ["9", "09", "0000000009", "9;a", "9;a=b", "9;a=\"b;\\\"\"", "9 ; a = b", "9;a;b=c", "9\t;a"].map {
      answered("the chunk size “\($0)”", chunked + "\($0)\r\n\(tonight)\r\n0\r\n\r\n" + good, 200, 200)
    }
    + [
      rejected("a chunk size that ends in a bare LF", chunked + "9\n\(tonight)\r\n0\r\n\r\n"),
      rejected("a chunk size that ends in a bare CR", chunked + "9\r\(tonight)\r\n0\r\n\r\n"),
      rejected("an extension that ends in a bare LF", chunked + "9;a\n\(tonight)\r\n0\r\n\r\n"),
      rejected("an extension with a bare CR", chunked + "9;a\rb\r\n\(tonight)\r\n0\r\n\r\n"),
      rejected("data that ends in a bare LF", chunked + "9\r\n\(tonight)\n0\r\n\r\n"),
      rejected("data that ends in a bare CR", chunked + "9\r\n\(tonight)\r0\r\n\r\n"),
      rejected("data longer than its chunk size", chunked + "8\r\n\(tonight)\r\n0\r\n\r\n"),
      rejected("data shorter than its chunk size", chunked + "a\r\n\(tonight)\r\n0\r\n\r\n"),
      rejected("a last chunk that ends in bare LFs", chunked + "9\r\n\(tonight)\r\n0\n\n"),
      rejected("a last chunk whose empty line is a bare LF", chunked + "9\r\n\(tonight)\r\n0\r\n\n"),
      rejected("a chunk that is too large", chunked + "100001\r\n", 413),
      rejected("the largest possible chunk size", chunked + "7FFFFFFFFFFFFFFF\r\n", 413),
      rejected("an endless extension", chunked + "9;" + String(repeating: "a", count: 300) + "\r\n"),
      rejected("endless leading zeros", chunked + String(repeating: "0", count: 300) + "9\r\n"),
      rejected(
        "malformed chunks for an unknown path, which are not parsed",
        "PUT /no HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab", 404),
      answered("trailers", chunked + "9\r\n\(tonight)\r\n0\r\nA: b\r\nC:\r\n\r\n" + good, 200, 200),
      answered(
        "trailers with fields for framing, routing and conditions are ignored",
        chunked + "9\r\n\(tonight)\r\n0\r\nContent-Length: 50\r\nTransfer-Encoding: x\r\nHost: b\r\nHost: c\r\n"
          + "If-Match: \"x\"\r\nConnection: close\r\n\r\n" + good, 200, 200),
      rejected("a trailer without a colon", chunked + "9\r\n\(tonight)\r\n0\r\nA\r\n\r\n"),
      rejected("a trailer with a space before its colon", chunked + "9\r\n\(tonight)\r\n0\r\nA : b\r\n\r\n"),
      rejected("a folded trailer", chunked + "9\r\n\(tonight)\r\n0\r\nA: b\r\n c\r\n\r\n"),
      rejected("a trailer with NUL", chunked + "9\r\n\(tonight)\r\n0\r\nA: \u{0}\r\n\r\n"),
      rejected("a trailer that ends in a bare LF", chunked + "9\r\n\(tonight)\r\n0\r\nA: b\n\r\n"),
      rejected("a request in place of trailers", chunked + "9\r\n\(tonight)\r\n0\r\n" + good),
      rejected(
        "too many trailers", chunked + "0\r\n" + String(repeating: "A: b\r\n", count: 101) + "\r\n", 431),
    ]

  /// RFC 9110 §10.1.1.
  static let expectations: [Attack] = [
    expecting("an expectation", patch + "Expect: 100-continue\r\nContent-Length: 9\r\n\r\n\(tonight)", 200),
    expecting("an expectation in capitals", patch + "Expect: 100-CONTINUE\r\nContent-Length: 9\r\n\r\n\(tonight)", 200),
    expecting(
      "an expectation with chunks",
      patch + "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "9\r\n\(tonight)\r\n0\r\n\r\n", 200),
    expecting(
      "an expectation twice", patch + "Expect: 100-continue, 100-continue\r\nContent-Length: 9\r\n\r\n\(tonight)", 200),
    answered("an expectation without a body", get + "Expect: 100-continue\r\n\r\n" + good, 200, 200),
    answered(
      "an expectation and an empty body", patch + "Expect: 100-continue\r\nContent-Length: 0\r\n\r\n" + good, 400, 200),
    closing(
      "an expectation of HTTP/1.0",
      "PATCH /state/time HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n\(tonight)", 200),
    rejected("an unknown expectation", patch + "Expect: 200-ok\r\nContent-Length: 9\r\n\r\n\(tonight)", 417),
    rejected(
      "another expectation in a list", patch + "Expect: 100-continue, x\r\nContent-Length: 9\r\n\r\n\(tonight)", 417),
    rejected(
      "an expectation with a body that is too large", patch + "Expect: 100-continue\r\nContent-Length: 1048577\r\n\r\n",
      413),
  ]
}
