/// Requests in a simplified notation that stays valid under most mutations.
///
/// Requests are separated by lines of `%%`. Each has a request line without a version, field lines, an empty line and
/// the content.
struct RequestScript {
  /// The requests in HTTP/1.1 syntax, with `Host` and `Content-Length` added.
  private(set) var bytes: [UInt8] = []

  /// Converts an input. Every input is valid.
  init(_ input: [UInt8]) {
    var lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
    while !lines.isEmpty {
      let block = lines.prefix { !$0.elementsEqual("%%".utf8) }
      lines = lines.dropFirst(block.count + 1)
      append(block)
    }
  }

  private mutating func append(_ block: ArraySlice<ArraySlice<UInt8>>) {
    guard let first = block.first, !first.isEmpty else { return }
    let fields = block.dropFirst().prefix { !$0.isEmpty }
    let content = Array(block.dropFirst(fields.count + 2).joined(separator: [0x0A]))
    bytes += Array(first) + Array(" HTTP/1.1\r\nHost: h\r\n".utf8)
    for field in fields { bytes += Array(field) + lineEnd }
    if !content.isEmpty { bytes += Array("Content-Length: \(content.count)\r\n".utf8) }
    bytes += lineEnd + content
  }
}
