import BinderyCore
import BinderyMenu
import BinderyTestKit
import Testing

/// The header fields about the version of the state: `State-History` in every response, and both in requests.
struct VersionFieldTests {
  private static let allowed = "https://app.example"

  @Test func `every response names the history`() throws {
    let api = try TestAPI(origins: [Self.allowed], hosts: ["memory"])
    let history = api.loop.store.history.text
    let tag = try #require(try api.loop.get("/state/time", TestAPI.readCredential).etag)
    let replies = [
      try api.loop.get("/state/time", TestAPI.readCredential), try api.loop.get("/livez"),
      try api.loop.get("/state/time", ["If-None-Match": tag, "Authorization": "Bearer \(TestAPI.readToken)"]),
      try api.loop.get("/state/time"), try api.loop.put("/state/time", "\"tomorrow\"", TestAPI.readCredential),
      try api.loop.put("/state/time", "\"tomorrow\"", TestAPI.writeCredential),
      try api.loop.put("/state/time", "1", TestAPI.writeCredential),
      try api.loop.get("/state/time", ["Origin": Self.allowed, "Authorization": "Bearer \(TestAPI.readToken)"]),
      try api.loop.get("/history", TestAPI.readCredential), try api.loop.get("/session", TestAPI.readCredential),
      try api.loop.get("/nothing", TestAPI.readCredential), try api.loop.get("/livez", ["Host": "other.example"]),
      try api.loop.send("BREW", "/state"), try api.loop.get("/%"),
    ]
    for reply in replies { #expect(reply.fields.filter { $0.name == "State-History" }.map(\.value) == [history]) }
    let stream = api.loop.listen("/state/time", TestAPI.readCredential)
    #expect(stream.reader.head?["State-History"] == history)
  }

  @Test func `pages of allowed origins may send the version and read the history`() throws {
    let api = try TestAPI(origins: [Self.allowed])
    let preflight = try api.loop.send(
      "OPTIONS", "/state/time", nil, ["Origin": Self.allowed, "Access-Control-Request-Method": "PUT"])
    let allowed = try #require(preflight["Access-Control-Allow-Headers"])
    #expect(allowed.contains("State-Revision") && allowed.contains("State-History"))
    let reply = try api.loop.get("/state/time", ["Origin": Self.allowed])
    #expect(reply["Access-Control-Expose-Headers"]?.contains("State-History") == true)
  }

  @Test(arguments: ["7", "999999999999999999999", "x", ""], ["abcd1234", "x", ""])
  func `a server on its own is never behind the version that a client has seen`(
    revision: String, history: String
  ) throws {
    let api = try TestAPI(requiresToken: false)
    let fields: Client.Fields = ["State-Revision": revision, "State-History": history]
    let own: Client.Fields = ["State-Revision": "7", "State-History": api.loop.store.history.text]
    for fields in [fields, own] {
      #expect(try api.loop.get("/state/time", fields).text == #""tonight""#)
      #expect(try api.loop.put("/state/time", #""tonight""#, fields).status == 200)
      #expect(api.loop.listen("/state/time", fields).takeData() == [#""tonight""#])
    }
  }
}
