extension Attack {
  private static let getTime = "GET /state/time HTTP/1.1\r\nHost: a\r\n"

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
        "HTTP/1.0 with keep-alive", "GET /livez HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n" + good, 200, 200),
      closing(
        "HTTP/1.0 with keep-alive and close", "GET /livez HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n" + good, 200
      ),
      answered(
        "an upgrade to h2c is ignored",
        get + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n" + good, 200, 200
      ),
      answered(
        "an upgrade to WebSocket is ignored",
        get + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n" + good, 200, 200),
      answered("Host declared as hop-by-hop", get + "Connection: Host, Content-Length\r\n\r\n" + good, 200, 200),
    ]

  /// RFC 9110 §9.
  static let methods: [Attack] =
    [
      "TRACE", "get", "Get", "FROB", "PROPFIND", "M-SEARCH", "QUERY", "LOCK",
      String(repeating: "X", count: 200),
    ].map { rejected("the method \($0.prefix(20))", "\($0) /livez HTTP/1.1\r\nHost: a\r\n\r\n" + good, 501) }
    + [
      rejected("CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n" + good, 501),
      rejected("an endless method", String(repeating: "X", count: 9_000), 501),
      answered("DELETE of a page", "DELETE /livez HTTP/1.1\r\nHost: a\r\n\r\n" + good, 405, 200),
      answered("PUT of a page", "PUT /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n1" + good, 405, 200),
      answered("POST to a leaf", "POST /state/time HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n1" + good, 405, 200),
      answered("DELETE of a required member", "DELETE /state/time HTTP/1.1\r\nHost: a\r\n\r\n" + good, 405, 200),
      answered("PATCH of a read-only member", "PATCH /state/favorites HTTP/1.1\r\nHost: a\r\n\r\n" + good, 405, 200),
      answered("DELETE of an unknown path", "DELETE /no HTTP/1.1\r\nHost: a\r\n\r\n" + good, 404, 200),
      answered("OPTIONS", "OPTIONS /state HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n" + good, 204, 200),
    ]

  /// RFC 9110 §8.3, §8.4, §12, §13 and §14.
  static let conditions: [Attack] = [
    answered("an If-None-Match of any tag", getTime + "If-None-Match: *\r\n\r\n", 304),
    answered("an If-None-Match of unknown tags", getTime + "If-None-Match: \"a\", W/\"b\", ,\"\"\r\n\r\n", 200),
    answered("an If-None-Match without quotation marks", getTime + "If-None-Match: a\r\n\r\n", 400),
    answered("an unterminated tag", getTime + "If-None-Match: \"a\r\n\r\n", 400),
    answered("an asterisk among tags", getTime + "If-None-Match: *, \"a\"\r\n\r\n", 400),
    answered("an If-Match of an unknown tag", getTime + "If-Match: \"a\"\r\n\r\n", 412),
    answered("an If-Match of a weak tag", getTime + "If-Match: W/\"a\"\r\n\r\n", 412),
    answered("a malformed If-Match", getTime + "If-Match: a\r\n\r\n", 400),
    answered(
      "an If-Match on a documentation page", "GET /problems HTTP/1.1\r\nHost: a\r\nIf-Match: \"a\"\r\n\r\n", 412),
    answered("an invalid date", getTime + "If-Modified-Since: yesterday\r\nIf-Unmodified-Since: 0\r\n\r\n", 200),
    answered(
      "a date in the past of what has none", getTime + "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n", 200
    ),
    answered("a range", getTime + "Range: bytes=0-1\r\nIf-Range: \"a\"\r\n\r\n", 200),
    answered("an invalid range", getTime + "Range: bytes=9-1,x\r\n\r\n", 200),
    answered(
      "preferred content codings",
      getTime + "Accept-Encoding: gzip;q=1.0, *;q=0\r\nTE: trailers, deflate;q=0.5\r\n\r\n", 200),
    answered("an unsupported media type in Accept", getTime + "Accept: image/png\r\n\r\n", 406),
    answered("a media type with zero weight in Accept", getTime + "Accept: application/json;q=0\r\n\r\n", 406),
    answered(
      "a gzip body", patch + "Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\n\"tonight\"" + good, 415, 200),
    answered(
      "gzip in the second Content-Encoding",
      patch + "Content-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n\"tonight\"" + good,
      415, 200),
    answered("an identity body", patch + "Content-Encoding: identity\r\nContent-Length: 9\r\n\r\n\"tonight\"", 200),
    answered(
      "an unsupported Content-Type", patch + "Content-Type: text/plain\r\nContent-Length: 9\r\n\r\n\"tonight\"", 415),
    answered(
      "a Content-Type with charset UTF-8",
      patch + "Content-Type: application/json; charset=UTF-8\r\nContent-Length: 9\r\n\r\n\"tonight\"", 200),
    answered(
      "a Content-Type with another charset",
      patch + "Content-Type: application/json; charset=utf-16\r\nContent-Length: 9\r\n\r\n\"tonight\"", 415),
  ]
}
