import BinderyAPI
import BinderyCore
import BinderyMenu
import BinderyService
import BinderyTestKit
import FoundationEssentials
import Testing

/// Tokens that are taken back, while what they have opened is still open.
struct RevocationTests {
  @Test func `a stream of a token that is gone ends with an event that says so`() throws {
    let door = try Door()
    let cookie = try door.signIn()
    let gone = [
      door.loop.listen("/state/time", Door.writer), door.loop.listen("/events?path=/time", Door.writer),
      door.loop.listen("/state/time?as=patch", Door.writer), door.loop.listen("/state/time", ["Cookie": cookie]),
    ]
    let stays = door.loop.listen("/state/time", Door.reader)
    let cursors = gone.map(\.lastEventID)
    for stream in gone { _ = stream.take() }
    door.accessControl.replace(try Door.tokens(write: ["another-token-0123456789"], read: [Door.read]))
    door.loop.settle()
    for (stream, cursor) in zip(gone, cursors) {
      let events = stream.take()
      #expect(events.map(\.type) == ["cancel"])
      #expect(events.map(\.data) == [#"{"reason":"token-revoked"}"#])
      #expect(stream.lastEventID == cursor, "whoever comes back goes on where it was")
      #expect(!stream.isOpen)
    }
    #expect(stays.isOpen)
    #expect(try door.loop.get("/state", Door.writer).outcome == "401 unauthorized")
    #expect(try door.loop.get("/state", ["Cookie": cookie]).outcome == "401 unauthorized")
    #expect(try door.loop.get("/state", Door.reader).status == 200)
  }

  @Test func `what happens after the token has gone is not told`() throws {
    let door = try Door()
    let stream = door.loop.listen("/state/time", Door.writer)
    _ = stream.take()
    door.loop.stall(stream)
    door.loop.store.post { $0.time = .tomorrow }
    door.accessControl.replace(try Door.tokens(write: ["another-token-0123456789"]))
    door.loop.store.post { $0.time = .custom(.distantPast) }
    door.loop.settle()
    door.loop.flow(stream)
    door.loop.settle()
    #expect(stream.take().map(\.type) == ["cancel"])
  }

  @Test func `a request that waits is answered when its token goes`() throws {
    let door = try Door()
    let tag = try #require(try door.loop.get("/state/time", Door.reader).etag)
    let poll = door.loop.begin(
      Request(
        "GET", "/state/time?wait=60",
        fields: [("If-None-Match", tag), ("Authorization", "Bearer \(Door.read)")]))
    #expect(poll.isOpen)
    door.accessControl.replace(try Door.tokens(write: [Door.write]))
    door.loop.settle()
    let reply = try #require(poll.reader.reply)
    #expect(reply.outcome == "401 unauthorized")
    #expect(reply["WWW-Authenticate"]?.contains("invalid_token") == true)
  }

  @Test func `a token that stays good ends nothing, whatever comes and goes beside it`() throws {
    let door = try Door()
    let stream = door.loop.listen("/state/time", Door.reader)
    _ = stream.take()
    for number in 0..<3 {
      door.accessControl.replace(try Door.tokens(write: ["another-token-\(number)-0123456789"], read: [Door.read]))
      door.loop.settle()
    }
    #expect(stream.isOpen)
    #expect(stream.take().isEmpty)
    door.loop.store.post { $0.time = .tomorrow }
    door.loop.settle()
    #expect(stream.takeData() == ["\"tomorrow\""])
  }

  @Test func `streams end on every loop of a server`() throws {
    let live = try LiveService(Door.menu, eventLoops: 2, access: .tokens([Door.write], reading: [Door.read]))
    defer { live.stop() }
    let address = live.address
    // The kernel spreads connections over the loops; with so many both have some.
    let streams = try (0..<16).map { _ in try SocketEventStream(address, "/state/time", Door.reader) }
    for stream in streams { #expect(try stream.next()?.data == "\"tonight\"") }
    try live.service.replaceTokens([Door.write])
    for stream in streams {
      #expect(try stream.next()?.type == "cancel")
      #expect(try stream.next() == nil)
    }
    let client = try SocketClient(address)
    #expect(try client.get("/state", Door.reader).outcome == "401 unauthorized")
    #expect(try client.get("/state", Door.writer).status == 200)
    #expect(throws: ServiceError.self) { try live.service.replaceTokens(["short"]) }
    #expect(try client.get("/state", Door.writer).status == 200)
  }
}
