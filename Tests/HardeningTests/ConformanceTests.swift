import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyMenu
import Testing

/// Every attack in memory: whole, byte by byte, cut in two at every place, behind good requests and before them.
@Suite struct ConformanceTests {
  private let store = Store(Restaurant.menu)
  private let api: StateAPI<Menu>

  init() { api = Restaurant.api(store) }

  /// All that is answered to these pieces, and whether the connection was closed.
  private func converse(_ pieces: [ArraySlice<UInt8>]) -> (bytes: [UInt8], isClosed: Bool) {
    var connection = MemoryConnection(api)
    for piece in pieces { connection.receive(piece) }
    return (connection.answered, connection.isClosed)
  }

  private func finalReplies(_ bytes: [UInt8]) throws -> [Reply] {
    try Replies.read(bytes).filter { $0.status >= 200 }
  }

  @Test(arguments: Attack.all)
  func `an attack gets exactly the answers it should, each whole`(_ attack: Attack) throws {
    let (bytes, isClosed) = converse([attack.bytes[...]])
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
  func `an attack gets the same answers however it is cut`(_ attack: Attack) throws {
    let bytes = attack.bytes
    let whole = converse([bytes[...]])
    func sameAnswers(_ pieces: [ArraySlice<UInt8>]) throws -> Bool {
      let cut = converse(pieces)
      guard attack.mayContinue else { return cut == whole }
      return try finalReplies(cut.bytes) == finalReplies(whole.bytes) && cut.isClosed == whole.isClosed
    }
    #expect(try sameAnswers(bytes.indices.map { bytes[$0...$0] }))
    for cut in bytes.indices.filter({ bytes.count < 500 || $0 % 101 == 0 }) {
      #expect(try sameAnswers([bytes[..<cut], bytes[cut...]]), "cut at \(cut)")
    }
  }

  @Test(arguments: Attack.all)
  func `what comes before an attack is answered, and nothing that comes behind a refusal`(_ attack: Attack) throws {
    let good = Array(Attack.good.utf8)
    let (bytes, isClosed) = converse([(good + good + good + attack.bytes + good)[...]])
    let statuses = try finalReplies(bytes).map(\.status)
    #expect(statuses == [200, 200, 200] + attack.statuses + (attack.closes ? [] : [200]))
    #expect(isClosed == attack.closes)
  }

  @Test(arguments: Attack.all)
  func `a peer that ends its side behind an attack gets the same answers`(_ attack: Attack) throws {
    var connection = MemoryConnection(api)
    connection.receive(attack.bytes[...])
    connection.receiveEnd()
    #expect(connection.isClosed)
    #expect(try finalReplies(connection.answered).map(\.status) == attack.statuses)
  }

  @Test func `a request that is cut short is refused once, and what is complete before it is answered`() throws {
    let request = Attack.chunked + "9\r\n\"tonight\"\r\n0\r\n\r\n"
    for end in 1..<request.utf8.count {
      var connection = MemoryConnection(api)
      connection.receive(Array((Attack.good + request).utf8.prefix(Attack.good.utf8.count + end))[...])
      connection.receiveEnd()
      #expect(try Replies.read(connection.answered).map(\.status) == [200, 400], "cut behind \(end)")
      #expect(connection.isClosed)
    }
  }

  @Test func `empty lines behind a request are not the beginning of another`() {
    var connection = MemoryConnection(api)
    connection.receive(Array((Attack.good + "\r\n").utf8)[...])
    let answered = connection.answered
    connection.receiveEnd()
    #expect(connection.isClosed && connection.answered == answered)
  }

  @Test func `no attack changes the state`() throws {
    for attack in Attack.all { _ = converse([attack.bytes[...]]) }
    #expect(store.revision == 0)
  }
}
