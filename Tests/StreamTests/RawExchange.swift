import BinderySystem

/// Bytes sent as they are, for what no client of the kit would send.
enum RawExchange {
  /// What the server sends up to and including a text.
  static func firstBytes(_ address: String, _ request: String, until end: String) throws -> String {
    let socket = try ClientSocket(to: SocketAddress(address)!)
    try socket.send(Array(request.utf8))
    var text = ""
    while !text.contains(end) {
      let bytes = try socket.receive()
      if bytes.isEmpty { break }
      text += String(decoding: bytes, as: UTF8.self)
    }
    return text
  }
}
