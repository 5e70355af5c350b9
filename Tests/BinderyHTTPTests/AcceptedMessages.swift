/// Valid messages and the expected results of parsing them, in the format of `ParseResult`.
let acceptedMessages: [(String, [String])] = [
  ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ["GET / @a 1.1 [host:a]"]),
  ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", ["GET / @a 1.1 [host:a]"]),
  ("GET / HTTP/1.0\r\n\r\n", ["GET / @ 1.0 close"]),
  ("GET / HTTP/1.2\r\nHost: a\r\n\r\n", ["GET / @a 1.1 [host:a]"]),
  ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", ["GET / @ 1.0 [connection:Keep-Alive]"]),
  (
    "GET / HTTP/1.0\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n",
    ["GET / @ 1.0 close [connection:close] [connection:keep-alive]"]
  ),
  (
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: , x,\tCLOSE ,\r\n\r\n",
    ["GET / @a 1.1 close [host:a] [connection:, x,\tCLOSE ,]"]
  ),
  ("GET / HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n\r\n", ["GET / @a 1.1 [host:a] [connection:closed]"]),
  (
    "PATCH /state/d/1?pretty&x=%20/? HTTP/1.1\r\nhOST:\t a:80 \t\r\nIF-MATCH: \"1\"\r\nif-match:\r\n\r\n",
    ["PATCH /state/d/1?pretty&x=%20/? @a:80 1.1 [host:a:80] [ifMatch:\"1\"] [ifMatch:]"]
  ),
  (
    "DELETE /a%2Fb:@!$&'()*+,;=-._~ HTTP/1.1\r\nHost: [::1]:\r\n\r\n",
    ["DELETE /a%2Fb:@!$&'()*+,;=-._~ @[::1]: 1.1 [host:[::1]:]"]
  ),
  ("GET //a? HTTP/1.1\r\nHost: a\r\n\r\n", ["GET //a? @a 1.1 [host:a]"]),
  ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", ["OPTIONS  @a 1.1 [host:a]"]),
  ("GET http://b:1/c?d HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /c?d @b:1 1.1 [host:a]"]),
  ("GET HTTP://b HTTP/1.1\r\nHost: a\r\n\r\n", ["GET  @b 1.1 [host:a]"]),
  ("GET / HTTP/1.1\r\nHost: a\r\nX-Y: \u{fc} z\r\n\r\n", ["GET / @a 1.1 [host:a] [other:\u{fc} z]"]),
  ("GET / HTTP/1.1\r\nHost: a\r\nhos: b\r\nhoste: c\r\n\r\n", ["GET / @a 1.1 [host:a] [other:b] [other:c]"]),
  (
    "PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 003\r\n\r\nabcGET /b HTTP/1.1\r\nHost: a\r\n\r\n",
    ["PUT /a @a 1.1 [host:a] [contentLength:003] {abc}", "GET /b @a 1.1 [host:a]"]
  ),
  ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", ["POST / @a 1.1 [host:a] [contentLength:0] {}"]),
  (
    "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
      + "00a\r\n0123456789\r\n1;a;b=c;d = \"e\\\"\u{fc};\" ; f\r\nX\r\n"
      + "0;g=h\r\nT: 1\r\nU:\r\n\r\nGET / HTTP/1.1\r\nHost: b\r\n\r\n",
    ["PUT / @a 1.1 [host:a] [transferEncoding:Chunked] {0123456789X}", "GET / @b 1.1 [host:b]"]
  ),
  (
    "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\nab",
    ["PUT / @a 1.1 [host:a] [expect:100-Continue] [contentLength:2] {ab}"]
  ),
  ("PUT / HTTP/1.0\r\nExpect: x\r\nContent-Length: 1\r\n\r\na", ["PUT / @ 1.0 close [expect:x] [contentLength:1] {a}"]),
]
