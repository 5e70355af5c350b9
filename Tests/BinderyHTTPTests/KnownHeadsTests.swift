import BinderyHTTP
import BinderyTestKit
import Testing

/// Heads that are known by their bytes, beside the same heads read anew.
struct KnownHeadsTests {
  /// Messages of which many begin alike, so that they meet at one place, and some are as long as others.
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
    // Too short to be known, too long, and with more fields than there is room for at first.
    messages.append("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    messages.append("GET /\(String(repeating: "p", count: 600)) HTTP/1.1\r\nHost: a\r\n\r\n")
    messages.append("GET /state HTTP/1.1\r\nHost: a\r\n\((0..<30).map { "X\($0): \($0)\r\n" }.joined())\r\n")
    return messages
  }

  /// All that a head says, whatever its properties are called; the fields' room holds more.
  private static func facts(_ head: RequestHead) -> String {
    let values = Mirror(reflecting: head).children.filter { $0.label != "fields" && $0.label != "number" }
    var text = values.map { "\($0.label ?? "")=\($0.value)" }.joined(separator: " ")
    for index in 0..<head.fieldCount { text += " \(head.field(index))" }
    return text
  }

  /// Reads messages whose bytes come in pieces, and tells of each what its head says, its body, and its number.
  private static func read(
    _ bytes: [UInt8], _ pieces: [Int], knownHeads: Int
  ) -> (facts: [String], numbers: [UInt64], bodies: [String]) {
    var buffer = RequestBuffer(capacity: 16, knownHeads: knownHeads)
    var rest = bytes[...]
    var result: (facts: [String], numbers: [UInt64], bodies: [String]) = ([], [], [])
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
        result.facts.append(facts(head))
        result.numbers.append(head.number)
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
  func `a head that is known says what it says when it is read anew`(places: Int) {
    var random = SeededGenerator(seed: UInt64(places))
    let messages = Self.messages()
    // Few of them again and again, then others.
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
      let known = Self.read(bytes, pieces, knownHeads: places)
      let anew = Self.read(bytes, pieces, knownHeads: 0)
      #expect(anew.facts.count == sent.count)
      let isSame = known.facts == anew.facts && known.bodies == anew.bodies
      #expect(isSame)
      #expect(anew.numbers.allSatisfy { $0 == 0 })
      // Were none known, nothing would have been compared.
      #expect(known.numbers.count { $0 != 0 } > sent.count / (places == 1 ? 20 : 4))
      // A number stands for the same bytes always, but for a body.
      var heads: [UInt64: Substring] = [:]
      for (number, message) in zip(known.numbers, sent) where number != 0 {
        let head = message.split(separator: "\r\n\r\n", omittingEmptySubsequences: false)[0]
        #expect(heads.updateValue(head, forKey: number) ?? head == head)
      }
    }
  }

  private static func numbers(_ messages: [String], knownHeads: Int) -> [UInt64] {
    let bytes = Array(messages.joined().utf8)
    return read(bytes, [bytes.count], knownHeads: knownHeads).numbers
  }

  private static func message(_ method: String, _ path: String, _ fields: String = "Host: localhost:8080\r\n") -> String
  {
    "\(method) /state/dishes/\(path) HTTP/1.1\r\n\(fields)\r\n"
  }

  @Test func `a head gives up its place to one that comes twice while it is not asked for`() {
    func name(_ number: UInt64, _ first: UInt64) -> String { number == 0 ? "-" : number == first ? "a" : "b" }
    let sent = "aaababaabbbbaab".map { Self.message("GET", "b10de400-0000-8000-8000-000000000001/\($0)") }
    let numbers = Self.numbers(sent, knownHeads: 1)
    let first = numbers[2]
    #expect(numbers.map { name($0, first) }.joined() == "--a-a-aa--bb--b")
  }

  @Test func `what is asked of some dishes is all known`() {
    var sent: [String] = []
    for dish in 1...4 {
      for method in ["GET", "PUT", "PATCH", "DELETE"] {
        for member in ["", "/name", "/isFavorite", "/status/inStock"] {
          sent.append(Self.message(method, "b10de400-0000-8000-8000-00000000000\(dish)\(member)"))
        }
      }
    }
    let rounds = Self.numbers(sent + sent + sent + sent + sent, knownHeads: 128).suffix(sent.count)
    #expect(Set(rounds).subtracting([0]).count >= sent.count * 2 / 3)
  }

  @Test(arguments: ["Authorization: Bearer secret\r\n", "Cookie: session=secret\r\n", ""])
  func `a secret is not kept`(_ field: String) {
    let message = Self.message("GET", "b10de400-0000-8000-8000-000000000001", "Host: a\r\n\(field)X: y\r\n")
    let isKnown = Self.numbers([message, message, message], knownHeads: 128).contains { $0 != 0 }
    #expect(isKnown == field.isEmpty)
  }
}
