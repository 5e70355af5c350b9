import BinderyHTTP

/// Checks that parsed requests do not depend on how their bytes are split, and that the reference parser accepts every
/// request that the parser accepts.
enum MessageTarget {
  static func run(_ input: [UInt8]) throws(Finding) {
    for limits in [Limits(), .tight] {
      let whole = RequestLog(reading: [input[...]], limits)
      for size in [1, 3, 17] {
        let split = RequestLog(reading: input.chunks(ofCount: size), limits, parking: size == 3)
        try expect(split == whole, "in chunks of \(size) bytes: \(split), at once: \(whole)")
      }
      var rest = input[...]
      for message in whole.messages {
        guard let (expected, after) = ParsedRequest.reference(rest) else {
          throw Finding("accepted, although “\(rest.text)” does not begin with a valid request: \(message)")
        }
        try expect(message == expected, "parsed as \(message), expected \(expected)")
        rest = after
      }
    }
  }
}

extension Limits {
  /// Limits so low that short inputs exceed them.
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

/// Checks that content round-trips through the chunked coding, and that the parser agrees with the reference parser.
enum ChunkTarget {
  private static let head = Array("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)

  static func run(_ input: [UInt8]) throws(Finding) {
    try MessageTarget.run(head + input)
    if let chunked = ChunkedContent(input[...]) {
      // Extensions and whitespace may exceed limits of the parser that the reference parser does not have.
      let isPlain = input.count <= Limits().chunkLineBytes && !input.contains { ";\t ".utf8.contains($0) }
      let log = RequestLog(reading: [(head + input)[...]], Limits())
      try expect(!isPlain || log.messages.first?.content == chunked.content, "rejected, although well-formed: \(log)")
    }
    var encoded = head
    for chunk in input.chunks(ofCount: 1 + input.count % 19) {
      encoded += Array(String(chunk.count, radix: 16).utf8) + lineEnd + chunk + lineEnd
    }
    encoded += Array("0\r\n\r\n".utf8)
    let log = RequestLog(reading: encoded.chunks(ofCount: 5), Limits())
    try expect(log.messages.map(\.content) == [input], "decoded as \(log)")
  }
}
