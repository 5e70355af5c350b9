extension Attack {
  private static let place = "GET /state/time HTTP/1.1\r\nHost: a\r\n"

  /// RFC 9112 §9.3 and §9.6, RFC 9110 §7.6.1 and §7.8.
  static let connections: [Attack] =
    [
      "close", "Close", "CLOSE", "keep-alive, close", "close, keep-alive", ", close ,",
      "x,close", "close\t", "TE, Close",
    ].map { closing("Connection: \($0)", get + "Connection: \($0)\r\n\r\n" + good, 200) }
    + ["closed", "x-close", "\"close\"", "keep-alive", "", "upgrade", "close;q=0"].map {
      answered("Connection: \($0)", get + "Connection: \($0)\r\n\r\n" + good, 200, 200)
    }
    + [
      closing("close on the second line", get + "Connection: keep-alive\r\nConnection: close\r\n\r\n" + good, 200),
      closing("close on the first line", get + "Connection: close\r\nConnection: keep-alive\r\n\r\n" + good, 200),
      closing("HTTP/1.0 closes", "GET /livez HTTP/1.0\r\nHost: a\r\n\r\n" + good, 200),
      answered(
        "HTTP/1.0 may ask not to", "GET /livez HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n" + good, 200, 200),
      closing("HTTP/1.0 that says both", "GET /livez HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n" + good, 200),
      answered(
        "an upgrade to h2c is passed over",
        get + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n" + good, 200, 200
      ),
      answered(
        "an upgrade to WebSocket is passed over",
        get + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n" + good, 200, 200),
      answered("a host named as hop-by-hop", get + "Connection: Host, Content-Length\r\n\r\n" + good, 200, 200),
    ]

  /// RFC 9110 §9.
  static let methods: [Attack] =
    [
      "TRACE", "get", "Get", "FROB", "PROPFIND", "M-SEARCH", "QUERY", "LOCK",
      String(repeating: "X", count: 200),
    ].map { refused("the method \($0.prefix(20))", "\($0) /livez HTTP/1.1\r\nHost: a\r\n\r\n" + good, 501) }
    + [
      refused("CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n" + good, 501),
      refused("a method without end", String(repeating: "X", count: 9_000), 501),
      answered("DELETE of a page", "DELETE /livez HTTP/1.1\r\nHost: a\r\n\r\n" + good, 405, 200),
      answered("PUT of a page", "PUT /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n1" + good, 405, 200),
      answered("POST to a leaf", "POST /state/time HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n1" + good, 405, 200),
      answered("DELETE of what must be", "DELETE /state/time HTTP/1.1\r\nHost: a\r\n\r\n" + good, 405, 200),
      answered("PATCH of what is read-only", "PATCH /state/favorites HTTP/1.1\r\nHost: a\r\n\r\n" + good, 405, 200),
      answered("a method nowhere", "DELETE /no HTTP/1.1\r\nHost: a\r\n\r\n" + good, 404, 200),
      answered("OPTIONS", "OPTIONS /state HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n" + good, 204, 200),
    ]

  /// RFC 9110 §8.3, §8.4, §12, §13 and §14.
  static let conditions: [Attack] = [
    answered("any tag", place + "If-None-Match: *\r\n\r\n", 304),
    answered("tags that nobody gave", place + "If-None-Match: \"a\", W/\"b\", ,\"\"\r\n\r\n", 200),
    answered("tags without quotation marks", place + "If-None-Match: a\r\n\r\n", 200),
    answered("a tag that does not end", place + "If-None-Match: \"a\r\n\r\n", 200),
    answered("an asterisk among tags", place + "If-None-Match: *, \"a\"\r\n\r\n", 200),
    answered("a match with what nobody gave", place + "If-Match: \"a\"\r\n\r\n", 412),
    answered("a weak match", place + "If-Match: W/\"a\"\r\n\r\n", 412),
    answered("a malformed match", place + "If-Match: a\r\n\r\n", 412),
    answered("a match of the page of a problem", "GET /problems HTTP/1.1\r\nHost: a\r\nIf-Match: \"a\"\r\n\r\n", 412),
    answered("a date that is none", place + "If-Modified-Since: yesterday\r\nIf-Unmodified-Since: 0\r\n\r\n", 200),
    answered(
      "a date in the past of what has none", place + "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n", 200),
    answered("a range", place + "Range: bytes=0-1\r\nIf-Range: \"a\"\r\n\r\n", 200),
    answered("a range that is none", place + "Range: bytes=9-1,x\r\n\r\n", 200),
    answered(
      "codings of the answer", place + "Accept-Encoding: gzip;q=1.0, *;q=0\r\nTE: trailers, deflate;q=0.5\r\n\r\n", 200),
    answered("a form that there is not", place + "Accept: image/png\r\n\r\n", 406),
    answered("a form of no weight", place + "Accept: application/json;q=0\r\n\r\n", 406),
    answered(
      "a body in gzip", patch + "Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\n\"tonight\"" + good, 415, 200),
    answered("a body as it is", patch + "Content-Encoding: identity\r\nContent-Length: 9\r\n\r\n\"tonight\"", 200),
    answered("another type", patch + "Content-Type: text/plain\r\nContent-Length: 9\r\n\r\n\"tonight\"", 415),
    answered(
      "a type with its charset",
      patch + "Content-Type: application/json; charset=UTF-8\r\nContent-Length: 9\r\n\r\n\"tonight\"", 200),
    answered(
      "another charset",
      patch + "Content-Type: application/json; charset=utf-16\r\nContent-Length: 9\r\n\r\n\"tonight\"", 415),
  ]
}
