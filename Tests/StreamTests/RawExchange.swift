import BinderySystem

/// Sends raw bytes, for requests that no client of the test kit would send.
enum RawExchange {
  /// Returns the response up to and including a text, or up to the end of the connection.
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
