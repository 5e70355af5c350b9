import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyService
import BinderyTestKit
import FoundationEssentials
import Testing

/// Tokens that are revoked while their streams and long polls are open.
struct RevocationTests {
  @Test func `a stream of a revoked token ends with a cancel event`() throws {
    let api = try TestAPI()
    let cookie = try api.signIn()
    let revoked = [
      api.loop.listen("/state/time", TestAPI.writeCredential),
      api.loop.listen("/events?path=/time", TestAPI.writeCredential),
      api.loop.listen("/state/time?as=patch", TestAPI.writeCredential),
      api.loop.listen("/state/time", ["Cookie": cookie]),
    ]
    let remaining = api.loop.listen("/state/time", TestAPI.readCredential)
    let cursors = revoked.map(\.lastEventID)
    for stream in revoked { _ = stream.take() }
    api.accessControl.replace(try TestAPI.tokens(write: ["another-token-0123456789"], read: [TestAPI.readToken]))
    api.loop.settle()
    for (stream, cursor) in zip(revoked, cursors) {
      let events = stream.take()
      #expect(events.map(\.type) == ["cancel"])
      #expect(events.map(\.data) == [#"{"reason":"token-revoked"}"#])
      #expect(stream.lastEventID == cursor, "the cursor must not change, so that the client can resume")
      #expect(!stream.isOpen)
    }
    #expect(remaining.isOpen)
    #expect(try api.loop.get("/state", TestAPI.writeCredential).outcome == "401 unauthorized")
    #expect(try api.loop.get("/state", ["Cookie": cookie]).outcome == "401 unauthorized")
    #expect(try api.loop.get("/state", TestAPI.readCredential).status == 200)
  }

  @Test func `streams and long polls of an open service end when it requires a token`() throws {
    let api = try TestAPI(requiresToken: false)
    let streams = ["/state/time", "/events?path=/time", "/state/time?as=patch"].map { api.loop.listen($0) }
    let tag = try #require(try api.loop.get("/state/time").etag)
    let poll = api.loop.begin(Request("GET", "/state/time?wait=60", fields: [("If-None-Match", tag)]))
    for stream in streams { _ = stream.take() }
    api.accessControl.replace(try TestAPI.tokens(write: [TestAPI.writeToken]))
    api.loop.settle()
    for stream in streams {
      #expect(stream.take().map(\.data) == [#"{"reason":"token-required"}"#])
      #expect(!stream.isOpen)
    }
    #expect(poll.reader.reply?.outcome == "401 unauthorized")
    #expect(poll.reader.reply?["WWW-Authenticate"] == #"Bearer realm="bindery""#)
  }

  @Test func `a stream of a revoked token ends at once in the middle of a long event`() throws {
    let api = try TestAPI()
    api.loop.store.post { menu in
      menu.dishes = Identified(
        uniquing: (0..<2_000).map { Dish(id: UUID(), name: "\($0)", isFavorite: false, status: .inStock(quantity: 1)) })
    }
    let stream = api.loop.listen("/state/dishes", TestAPI.readCredential)
    api.loop.pauseReading(stream)
    api.loop.settle()
    let received = stream.bytes.count
    api.accessControl.replace(try TestAPI.tokens(write: [TestAPI.writeToken]))
    api.loop.settle()
    api.loop.resumeReading(stream)
    api.loop.settle()
    #expect(!stream.isOpen)
    #expect(stream.take() == [], "an incomplete event must not be ended, and nothing fits into it")
    #expect(stream.bytes.count <= received + "0\r\n\r\n".utf8.count)
  }

  @Test func `a stream of a revoked token sends no further changes`() throws {
    let api = try TestAPI()
    let stream = api.loop.listen("/state/time", TestAPI.writeCredential)
    _ = stream.take()
    api.loop.pauseReading(stream)
    api.loop.store.post { $0.time = .tomorrow }
    api.accessControl.replace(try TestAPI.tokens(write: ["another-token-0123456789"]))
    api.loop.store.post { $0.time = .custom(.distantPast) }
    api.loop.settle()
    api.loop.resumeReading(stream)
    api.loop.settle()
    #expect(stream.take().map(\.type) == ["cancel"])
  }

  @Test func `a long poll gets 401 when its token is revoked`() throws {
    let api = try TestAPI()
    let tag = try #require(try api.loop.get("/state/time", TestAPI.readCredential).etag)
    let poll = api.loop.begin(
      Request(
        "GET", "/state/time?wait=60",
        fields: [("If-None-Match", tag), ("Authorization", "Bearer \(TestAPI.readToken)")]))
    #expect(poll.isOpen)
    api.accessControl.replace(try TestAPI.tokens(write: [TestAPI.writeToken]))
    api.loop.settle()
    let reply = try #require(poll.reader.reply)
    #expect(reply.outcome == "401 unauthorized")
    #expect(reply["WWW-Authenticate"]?.contains("invalid_token") == true)
  }

  @Test func `a stream stays open while its token is valid, when other tokens change`() throws {
    let api = try TestAPI()
    let stream = api.loop.listen("/state/time", TestAPI.readCredential)
    _ = stream.take()
    for number in 0..<3 {
      api.accessControl.replace(
        try TestAPI.tokens(write: ["another-token-\(number)-0123456789"], read: [TestAPI.readToken]))
      api.loop.settle()
    }
    #expect(stream.isOpen)
    #expect(stream.take().isEmpty)
    api.loop.store.post { $0.time = .tomorrow }
    api.loop.settle()
    #expect(stream.takeData() == ["\"tomorrow\""])
  }

  @Test func `streams of a revoked token end on every event loop`() throws {
    let live = try LiveService(
      TestAPI.menu, eventLoops: 2, access: .tokens([TestAPI.writeToken], reading: [TestAPI.readToken]))
    defer { live.stop() }
    let address = live.address
    // The kernel distributes connections over the event loops. With 16 connections both have some.
    let streams = try (0..<16).map { _ in try SocketEventStream(address, "/state/time", TestAPI.readCredential) }
    for stream in streams { #expect(try stream.next()?.data == "\"tonight\"") }
    try live.service.replaceTokens([TestAPI.writeToken])
    for stream in streams {
      #expect(try stream.next()?.type == "cancel")
      #expect(try stream.next() == nil)
    }
    let client = try SocketClient(address)
    #expect(try client.get("/state", TestAPI.readCredential).outcome == "401 unauthorized")
    #expect(try client.get("/state", TestAPI.writeCredential).status == 200)
    #expect(throws: ServiceError.self) { try live.service.replaceTokens(["short"]) }
    // A token that was given out as read-only must not write.
    #expect(throws: ServiceError.self) {
      try live.service.replaceTokens([TestAPI.readToken], reading: [TestAPI.readToken])
    }
    #expect(try client.get("/state", TestAPI.readCredential).outcome == "401 unauthorized")
    #expect(try client.get("/state", TestAPI.writeCredential).status == 200)
  }
}
