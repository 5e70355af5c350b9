import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyMenu
import BinderyTestKit
import Testing

/// Sends every attack in memory: as a whole, byte by byte, split at every position, after and before valid requests.
@Suite struct ConformanceTests {
  private let store = Store(TestMenu.menu)
  private let api: StateAPI<Menu>

  init() { api = TestMenu.api(store) }

  /// Returns the response bytes for some pieces, and whether the connection was closed.
  private func exchange(_ pieces: [ArraySlice<UInt8>]) -> (bytes: [UInt8], isClosed: Bool) {
    var connection = MemoryConnection(api)
    for piece in pieces { connection.receive(piece) }
    return (connection.responseBytes, connection.isClosed)
  }

  private func finalReplies(_ bytes: [UInt8]) throws -> [Reply] {
    try Replies.read(bytes).filter { $0.status >= 200 }
  }

  @Test(arguments: Attack.all)
  func `an attack gets exactly the expected responses`(_ attack: Attack) throws {
    let (bytes, isClosed) = exchange([attack.bytes[...]])
    let replies = try finalReplies(bytes)
    #expect(replies.map(\.status) == attack.statuses)
    #expect(isClosed == attack.closes)
    #expect(replies.last?.saysClose == attack.closes)
    for reply in replies where reply.status >= 400 {
      #expect(reply["Content-Type"] == "application/problem+json")
      #expect(reply.text.contains("\"status\":\(reply.status)"))
      #expect((reply["Allow"] != nil) == (reply.status == 405))
    }
  }

  @Test(arguments: Attack.all)
  func `an attack gets the same responses however it is split`(_ attack: Attack) throws {
    let bytes = attack.bytes
    let whole = exchange([bytes[...]])
    func hasSameResponses(_ pieces: [ArraySlice<UInt8>]) throws -> Bool {
      let split = exchange(pieces)
      guard attack.mayContinue else { return split == whole }
      return try finalReplies(split.bytes) == finalReplies(whole.bytes) && split.isClosed == whole.isClosed
    }
    #expect(try hasSameResponses(bytes.indices.map { bytes[$0...$0] }))
    for index in bytes.indices.filter({ bytes.count < 500 || $0 % 101 == 0 }) {
      #expect(try hasSameResponses([bytes[..<index], bytes[index...]]), "split at \(index)")
    }
  }

  @Test(arguments: Attack.all)
  func `requests before an attack get responses and bytes after a rejection are ignored`(_ attack: Attack) throws {
    let good = Array(Attack.good.utf8)
    let (bytes, isClosed) = exchange([(good + good + good + attack.bytes + good)[...]])
    let statuses = try finalReplies(bytes).map(\.status)
    #expect(statuses == [200, 200, 200] + attack.statuses + (attack.closes ? [] : [200]))
    #expect(isClosed == attack.closes)
  }

  @Test(arguments: Attack.all)
  func `a client that closes its sending side after an attack gets the same responses`(_ attack: Attack) throws {
    var connection = MemoryConnection(api)
    connection.receive(attack.bytes[...])
    connection.receiveEnd()
    #expect(connection.isClosed)
    #expect(try finalReplies(connection.responseBytes).map(\.status) == attack.statuses)
  }

  @Test func `an incomplete request is rejected once and the complete requests before it get responses`() throws {
    let request = Attack.chunked + "9\r\n\"tonight\"\r\n0\r\n\r\n"
    for end in 1..<request.utf8.count {
      var connection = MemoryConnection(api)
      connection.receive(Array((Attack.good + request).utf8.prefix(Attack.good.utf8.count + end))[...])
      connection.receiveEnd()
      #expect(
        try Replies.read(connection.responseBytes).map(\.status) == [200, 400], "\(end) bytes of the last request")
      #expect(connection.isClosed)
    }
  }

  @Test func `empty lines after a request do not start another request`() {
    var connection = MemoryConnection(api)
    connection.receive(Array((Attack.good + "\r\n").utf8)[...])
    let responseBytes = connection.responseBytes
    connection.receiveEnd()
    #expect(connection.isClosed && connection.responseBytes == responseBytes)
  }

  @Test func `no attack changes the state`() throws {
    for attack in Attack.all { _ = exchange([attack.bytes[...]]) }
    #expect(store.revision == 0)
  }
}
