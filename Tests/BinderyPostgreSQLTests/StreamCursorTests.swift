import BinderyTestKit
import Testing

/// Event streams of clients that go from one server to another.
struct StreamCursorTests {
  @Test func `a value that changed and changed back has the newest revision in the id of its event`() throws {
    let state = try SharedState()
    let (behind, current) = (try Replica(state), try Replica(state))
    defer {
      behind.stop()
      current.stop()
    }
    #expect(try current.patch("/count", "1").status == 200)
    // A subscriber for whom the server has encoded the value at revision 1.
    let watcher = try SocketEventStream(behind.address, "/state/count")
    while try watcher.next()?.data != "1" {}
    behind.proxy.set(.withhold)
    #expect(try current.patch("/count", "2").status == 200)
    let seen = try #require(try SocketEventStream(current.address, "/state/count").next())
    #expect(seen.data == "2" && seen.id.contains("~2~"))
    #expect(try current.patch("/count", "1").status == 200)
    // The client that has seen revision 2 goes to the other server, which takes both revisions in one step.
    let stream = try SocketEventStream(behind.address, "/state/count", lastEventID: seen.id)
    behind.proxy.set(.forward)
    let event = try #require(try stream.next())
    #expect(event.data == "1" && event.id.contains("~3~"), "\(event)")
  }
}
