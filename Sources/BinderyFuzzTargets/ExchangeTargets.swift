/// Checks that a JSON Patch is applied atomically and never violates the invariants of the menu.
enum PatchTarget {
  static func run(_ input: [UInt8]) throws(Finding) {
    for path in ["/state", "/state/dishes"] {
      let connection = InMemoryConnection(MenuFixtures.full)
      let head =
        "PATCH \(path) HTTP/1.1\r\nHost: h\r\nContent-Type: application/json-patch+json\r\n"
        + "Content-Length: \(input.count)\r\n\r\n"
      try connection.send((Array(head.utf8) + input)[...])
      try connection.finish()
      try expect(connection.responses.count == 1, "one request, \(connection.responses.count) responses")
    }
  }
}

/// Checks that the responses on a connection do not depend on how its bytes are split, and that each request has
/// exactly one response, which ``InMemoryConnection`` validates.
enum ExchangeTarget {
  static func run(_ input: [UInt8]) throws(Finding) {
    let whole = InMemoryConnection()
    try whole.send(input[...])
    try whole.finish()
    let split = InMemoryConnection()
    for chunk in input.chunks(ofCount: 1 + input.count % 7) { try split.send(chunk) }
    try split.finish()
    // With `Expect: 100-continue`, the time at which the body arrives decides whether a request is rejected before or
    // after the interim response.
    if whole.hasSentContinue || split.hasSentContinue { return }
    let (a, b) = (Transcript(whole.responses), Transcript(split.responses))
    try expect(a == b, "sent at once: \(whole.responses)\nsent in chunks: \(split.responses)")
    // Ids that the server generates at random are part of the state, so it can only be compared without them.
    if !a.hasNewIDs {
      try expect(
        MenuFixtures.json(whole.menu) == MenuFixtures.json(split.menu),
        "different state when sent in chunks: \(MenuFixtures.json(whole.menu).text)")
    }
  }
}

/// The part of the responses that must be equal in two runs of the same requests.
private struct Transcript: Equatable {
  /// Whether the server generated an id, which is random, as is everything that depends on it.
  private(set) var hasNewIDs = false
  private var lines: [String]

  init(_ responses: [ParsedResponse]) {
    hasNewIDs = responses.contains { Self.hasRandomID($0.content + Array(($0["location"] ?? "").utf8)) }
    let comparesContent = !hasNewIDs
    lines = responses.map { response in
      // The `retry:` interval of an event stream is random.
      let content =
        response.isEventStream ? [] : comparesContent ? response.content : Array("\(response.content.count)".utf8)
      let fields = comparesContent ? response.fields.map { "\($0.name.text): \($0.value.text)" } : []
      return "\(response.status) \(fields) \(content.text)"
    }
  }

  /// Returns whether bytes contain a UUID of version 4 (RFC 9562 §5.4). The initial menu contains none.
  private static func hasRandomID(_ bytes: [UInt8]) -> Bool {
    let dash = UInt8(ascii: "-")
    return bytes.indices.dropLast(27).contains { index in
      bytes[index] == dash && bytes[index + 5] == dash && bytes[index + 6] == UInt8(ascii: "4")
        && bytes[index + 10] == dash && bytes[index + 15] == dash
    }
  }
}
