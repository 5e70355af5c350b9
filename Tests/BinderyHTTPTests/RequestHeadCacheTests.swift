import BinderyHTTP
import BinderyTestKit
import Testing

/// Compares cached request heads with the same heads parsed without a cache.
struct RequestHeadCacheTests {
  /// Messages for the cache. Many begin with the same bytes, so that they compete for a slot, and some have the same length.
  private static func messages() -> [String] {
    var messages: [String] = []
    let dish = "/state/dishes/b10de400-0000-8000-8000-00000000000"
    for path in [dish + "1", dish + "2"] {
      for fields in ["", "Accept: */*", "If-Match: \"a\"", "If-Match: \"b\"", "X-Y: 1\r\nPrefer: wait=1"] {
        let fields = fields.isEmpty ? "" : fields + "\r\n"
        for host in ["Host: a:80\r\n", "host:a:80 \r\n", "Host: b:80\r\n"] {
          messages.append("GET \(path) HTTP/1.1\r\n\(host)\(fields)\r\n")
          messages.append("HEAD \(path)?pretty HTTP/1.1\r\n\(host)\(fields)\r\n")
          messages.append("GET \(path) HTTP/1.0\r\n\(host)\(fields)Connection: keep-alive\r\n\r\n")
          messages.append("GET \(path) HTTP/1.0\r\n\(host)\(fields)\r\n")
          for body in ["", "1", "22", "[3]"] {
            let length = "Content-Length: \(body.utf8.count)\r\n"
            messages.append("PATCH \(path) HTTP/1.1\r\n\(host)\(fields)\(length)\r\n\(body)")
          }
          messages.append(
            "PUT \(path) HTTP/1.1\r\n\(host)\(fields)Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
          messages.append(
            "PUT \(path) HTTP/1.1\r\n\(host)\(fields)Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}")
          messages.append("OPTIONS http://c\(path) HTTP/1.1\r\n\(host)\(fields)\r\n")
        }
      }
    }
    // Too short to be cached, too long, and with more fields than the initial capacity.
    messages.append("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    messages.append("GET /\(String(repeating: "p", count: 600)) HTTP/1.1\r\nHost: a\r\n\r\n")
    messages.append("GET /state HTTP/1.1\r\nHost: a\r\n\((0..<30).map { "X\($0): \($0)\r\n" }.joined())\r\n")
    return messages
  }

  /// Returns all properties of a head as text, by reflection. The storage of the fields is excluded, because it may
  /// contain fields of earlier heads.
  private static func description(_ head: RequestHead) -> String {
    let values = Mirror(reflecting: head).children.filter { $0.label != "fields" && $0.label != "cacheID" }
    var text = values.map { "\($0.label ?? "")=\($0.value)" }.joined(separator: " ")
    for index in 0..<head.fieldCount { text += " \(head.field(index))" }
    return text
  }

  /// Parses messages that arrive in pieces, and returns the descriptions and cache ids of the heads, and the bodies.
  private static func read(
    _ bytes: [UInt8], _ pieces: [Int], cachedHeads: Int
  ) -> (descriptions: [String], ids: [UInt64], bodies: [String]) {
    var buffer = RequestBuffer(capacity: 16, cachedHeads: cachedHeads)
    var rest = bytes[...]
    var result: (descriptions: [String], ids: [UInt64], bodies: [String]) = ([], [], [])
    for piece in pieces {
      var part = rest.prefix(piece)
      rest = rest.dropFirst(piece)
      while !part.isEmpty { buffer.fill(from: &part) }
      while case .request(let body) = buffer.next(limits: Limits()) {
        if case .pending = body {
          buffer.startBody()
          continue
        }
        let (start, head) = (buffer.range.lowerBound, buffer.head)
        result.descriptions.append(description(head))
        result.ids.append(head.cacheID)
        if case .complete(let range) = body {
          let content = buffer.bytes[start + range.lowerBound..<start + range.upperBound]
          result.bodies.append(String(decoding: content, as: UTF8.self))
        }
        buffer.consume()
      }
    }
    return result
  }

  @Test(arguments: [1, 4, 128])
  func `a cached head equals the head parsed without a cache`(capacity: Int) {
    var random = SeededGenerator(seed: UInt64(capacity))
    let messages = Self.messages()
    // Repeat a few messages many times, then a few others.
    var sent: [String] = []
    for _ in 0..<60 {
      let some = (0..<4).compactMap { _ in messages.randomElement(using: &random) }
      for _ in 0..<30 { sent.append(some.randomElement(using: &random) ?? "") }
    }
    let bytes = Array(sent.joined().utf8)
    var pieces: [Int] = []
    while pieces.reduce(0, +) < bytes.count {
      pieces.append(Bool.random(using: &random) ? Int.random(in: 1...80, using: &random) : 4_000)
    }
    for pieces in [[bytes.count], sent.map { $0.utf8.count }, pieces] {
      let cached = Self.read(bytes, pieces, cachedHeads: capacity)
      let uncached = Self.read(bytes, pieces, cachedHeads: 0)
      #expect(uncached.descriptions.count == sent.count)
      let isSame = cached.descriptions == uncached.descriptions && cached.bodies == uncached.bodies
      #expect(isSame)
      #expect(uncached.ids.allSatisfy { $0 == 0 })
      // If no head had been cached, the comparison would prove nothing.
      #expect(cached.ids.count { $0 != 0 } > sent.count / (capacity == 1 ? 20 : 4))
      // An id always stands for the same head bytes.
      var heads: [UInt64: Substring] = [:]
      for (id, message) in zip(cached.ids, sent) where id != 0 {
        let head = message.split(separator: "\r\n\r\n", omittingEmptySubsequences: false)[0]
        #expect(heads.updateValue(head, forKey: id) ?? head == head)
      }
    }
  }

  private static func ids(_ messages: [String], cachedHeads: Int) -> [UInt64] {
    let bytes = Array(messages.joined().utf8)
    return read(bytes, [bytes.count], cachedHeads: cachedHeads).ids
  }

  private static func message(_ method: String, _ path: String, _ fields: String = "Host: localhost:8080\r\n") -> String
  {
    "\(method) /state/dishes/\(path) HTTP/1.1\r\n\(fields)\r\n"
  }

  @Test func `a cached head is replaced by another that arrives twice while it is not used`() {
    func name(_ id: UInt64, _ first: UInt64) -> String { id == 0 ? "-" : id == first ? "a" : "b" }
    let sent = "aaababaabbbbaab".map { Self.message("GET", "b10de400-0000-8000-8000-000000000001/\($0)") }
    let ids = Self.ids(sent, cachedHeads: 1)
    let first = ids[2]
    #expect(ids.map { name($0, first) }.joined() == "--a-a-aa--bb--b")
  }

  @Test func `most heads of repeated requests for a few dishes are cached`() {
    var sent: [String] = []
    for dish in 1...4 {
      for method in ["GET", "PUT", "PATCH", "DELETE"] {
        for member in ["", "/name", "/isFavorite", "/status/inStock"] {
          sent.append(Self.message(method, "b10de400-0000-8000-8000-00000000000\(dish)\(member)"))
        }
      }
    }
    let rounds = Self.ids(sent + sent + sent + sent + sent, cachedHeads: 128).suffix(sent.count)
    #expect(Set(rounds).subtracting([0]).count >= sent.count * 2 / 3)
  }

  @Test(arguments: ["Authorization: Bearer secret\r\n", "Cookie: session=secret\r\n", ""])
  func `a head with credentials is not cached`(_ field: String) {
    let message = Self.message("GET", "b10de400-0000-8000-8000-000000000001", "Host: a\r\n\(field)X: y\r\n")
    let isCached = Self.ids([message, message, message], cachedHeads: 128).contains { $0 != 0 }
    #expect(isCached == field.isEmpty)
  }
}
