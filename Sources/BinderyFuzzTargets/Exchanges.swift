/// A JSON Patch is carried out whole or not at all, and never breaks the menu.
enum Patches {
  static func run(_ input: [UInt8]) throws(Finding) {
    for path in ["/state", "/state/dishes"] {
      let wire = Wire(Menus.full)
      let head =
        "PATCH \(path) HTTP/1.1\r\nHost: h\r\nContent-Type: application/json-patch+json\r\n"
        + "Content-Length: \(input.count)\r\n\r\n"
      try wire.send((Array(head.utf8) + input)[...])
      try wire.finish()
      try expect(wire.replies.count == 1, "one request, \(wire.replies.count) answers")
    }
  }
}

/// A connection answers the same however its bytes are cut: each request once, by the rules that ``Wire`` checks.
enum Exchanges {
  static func run(_ input: [UInt8]) throws(Finding) {
    let whole = Wire()
    try whole.send(input[...])
    try whole.finish()
    let cut = Wire()
    for piece in input.pieces(of: 1 + input.count % 7) { try cut.send(piece) }
    try cut.finish()
    // Whether a peer that waits to be asked for its body is refused before or after it depends on when the body comes.
    if whole.hasAskedForBody || cut.hasAskedForBody { return }
    let (a, b) = (Transcript(whole.replies), Transcript(cut.replies))
    try expect(a == b, "at once: \(whole.replies)\nin pieces: \(cut.replies)")
    // Ids that the server makes are in the state.
    if !a.hasNewIDs {
      try expect(Menus.json(whole.menu) == Menus.json(cut.menu), "two states: \(Menus.json(whole.menu).text)")
    }
  }
}

/// What two runs of the same requests must have in common.
private struct Transcript: Equatable {
  /// An id was made at random, and with it whatever depends on it.
  private(set) var hasNewIDs = false
  private var lines: [String]

  init(_ replies: [Reply]) {
    hasNewIDs = replies.contains { Self.hasRandomID($0.content + Array(($0["location"] ?? "").utf8)) }
    let comparesContent = !hasNewIDs
    lines = replies.map { reply in
      // The time after which a stream is opened again is chosen at random.
      let content = reply.isEventStream ? [] : comparesContent ? reply.content : Array("\(reply.content.count)".utf8)
      let fields = comparesContent ? reply.fields.map { "\($0.name.text): \($0.value.text)" } : []
      return "\(reply.status) \(fields) \(content.text)"
    }
  }

  /// Whether there is a UUID of version 4 (RFC 9562 §5.4), which the menu has none of at first.
  private static func hasRandomID(_ bytes: [UInt8]) -> Bool {
    let dash = UInt8(ascii: "-")
    return bytes.indices.dropLast(27).contains { index in
      bytes[index] == dash && bytes[index + 5] == dash && bytes[index + 6] == UInt8(ascii: "4")
        && bytes[index + 10] == dash && bytes[index + 15] == dash
    }
  }
}
