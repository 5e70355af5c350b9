import BinderyHTTP

/// Requests are the same however their bytes are cut and however often they come, and what is taken for one is one by
/// the letter.
enum Messages {
  static func run(_ input: [UInt8]) throws(Finding) {
    for limits in [Limits(), .tight] {
      let whole = MessageLog(reading: [input[...]], limits)
      for size in [1, 3, 17] {
        let cut = MessageLog(reading: input.pieces(of: size), limits, parking: size == 3)
        try expect(cut == whole, "in pieces of \(size): \(cut), at once: \(whole)")
      }
      let often = [ArraySlice<UInt8>](repeating: input[...], count: 4)
      let (anew, known) = (MessageLog(reading: often, limits), MessageLog(reading: often, limits, knownHeads: 1))
      try expect(known == anew, "known: \(known), read anew: \(anew)")
      var rest = input[...]
      for message in whole.messages {
        guard let (expected, after) = Message.reference(rest) else {
          throw Finding("accepted, though no request begins with “\(rest.text)”: \(message)")
        }
        try expect(message == expected, "read as \(message), which is \(expected)")
        rest = after
      }
    }
  }
}

extension Limits {
  /// Limits that short inputs reach.
  static var tight: Limits {
    var limits = Limits()
    limits.requestLineBytes = 96
    limits.headerBlockBytes = 256
    limits.headerFields = 6
    limits.bodyBytes = 48
    limits.chunkLineBytes = 24
    return limits
  }
}

/// Content is the same after it was sent in chunks, and a chunked body holds what it holds by the letter.
enum Chunks {
  private static let head = Array("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)

  static func run(_ input: [UInt8]) throws(Finding) {
    try Messages.run(head + input)
    if let chunked = ChunkedContent(input[...]) {
      // Without extensions and blanks, and within all limits.
      let isPlain = input.count <= Limits().chunkLineBytes && !input.contains { ";\t ".utf8.contains($0) }
      let log = MessageLog(reading: [(head + input)[...]], Limits())
      try expect(!isPlain || log.messages.first?.content == chunked.content, "refused, though well-formed: \(log)")
    }
    var encoded = head
    for piece in input.pieces(of: 1 + input.count % 19) {
      encoded += Array(String(piece.count, radix: 16).utf8) + lineEnd + piece + lineEnd
    }
    encoded += Array("0\r\n\r\n".utf8)
    let log = MessageLog(reading: encoded.pieces(of: 5), Limits())
    try expect(log.messages.map(\.content) == [input], "decoded as \(log)")
  }
}
