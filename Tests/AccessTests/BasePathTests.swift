import BinderyAPI
import BinderyTestKit
import Testing

/// A service below a base path, such as `/menu`.
struct BasePathTests {
  private static let menu = BasePath("/menu")!

  @Test(arguments: ["/menu", "/menu/", "/a/b", "/~user/v1.2_x"])
  func `segments of unreserved characters are a base path`(_ text: String) throws {
    let path = try #require(BasePath(text))
    #expect(path.text + "/" == (text.hasSuffix("/") ? text : text + "/"))
  }

  @Test(arguments: ["", "menu", "//", "/a//b", "/a b", "/%20", "/..", "/a/./b", "/é", "/a?b"])
  func `other texts are no base path`(_ text: String) { #expect(BasePath(text) == nil) }

  @Test func `paths below the base path are resolved without it`() throws {
    let api = try TestAPI(requiresToken: false, basePath: Self.menu)
    #expect(try api.loop.get("/menu/state/time").outcome == "200")
    #expect(try api.loop.patch("/menu/state/time", "\"tomorrow\"").outcome == "200")
    #expect(try api.loop.get("/menu/state/%74ime").text.hasPrefix("\"tomorrow\""))
    #expect(try api.loop.get("/menu/problems").outcome == "200")
    let stream = api.loop.listen("/menu/state/time")
    #expect(stream.take().first?.data == "\"tomorrow\"")
  }

  @Test(arguments: ["/state/time", "/", "/menus/state/time", "/men", "/MENU/state", "/m%65nu/state", "//menu/state"])
  func `a path outside the base path is 404, and the detail contains the base path`(_ path: String) throws {
    let reply = try TestAPI(requiresToken: false, basePath: Self.menu).loop.get(path)
    #expect(reply.outcome == "404 unknown-path")
    #expect(reply.string("detail")?.contains("Send /menu\(path) instead") == true)
  }

  @Test func `a path outside the base path needs a token like any other`() throws {
    let api = try TestAPI(basePath: Self.menu)
    #expect(try api.loop.get("/state/time").outcome == "401 unauthorized")
    #expect(try api.loop.get("/menu/state/time").outcome == "401 unauthorized")
    #expect(try api.loop.get("/state/time", TestAPI.readCredential).outcome == "404 unknown-path")
  }

  @Test(arguments: ["", "/menu"]) func `health checks need no base path`(_ prefix: String) throws {
    let api = try TestAPI(hosts: ["menu.example"], basePath: Self.menu)
    #expect(try api.loop.get(prefix + "/livez").outcome == "200")
    #expect(try api.loop.get(prefix + "/readyz").outcome == "200")
    #expect(try api.loop.get(prefix + "/problems").outcome == "421 misdirected-request")
  }

  @Test func `Location, Link, problem types and suggested commands contain the base path`() throws {
    let loop = try TestAPI(requiresToken: false, hosts: ["memory"], basePath: Self.menu).loop
    let created = try loop.post("/menu/state/dishes", #"{"name": "Soup"}"#)
    let location = try #require(created["Location"])
    #expect(location.hasPrefix("/menu/state/dishes/"))
    #expect(try loop.get(location).string("name") == "Soup")
    let page = try loop.get("/menu/state/dishes?limit=1")
    #expect(page["Link"]?.hasPrefix("</menu/state/dishes?limit=1&after=") == true)
    let problem = try loop.patch("/menu/state/time/custom", "\"2026-12-24T19:00:00Z\"")
    #expect(problem.string("type") == "/menu/problems/inactive-case")
    #expect(problem.string("curl")?.contains("'http://memory/menu/state/time/custom'") == true)
    #expect(try loop.get("/menu/problems/inactive-case").outcome == "200")
  }

  @Test func `the base path without a final slash redirects to the root document`() throws {
    let reply = try TestAPI(requiresToken: false, basePath: Self.menu).loop.get("/menu?x=1")
    #expect(reply.status == 307)
    #expect(reply["Location"] == "/menu/?x=1")
  }

  @Test func `the session cookie is sent only below the base path, and its name differs between base paths`() throws {
    let api = try TestAPI(basePath: Self.menu)
    let reply = try api.loop.send("POST", "/menu/session", nil, TestAPI.writeCredential)
    let cookie = try #require(reply["Set-Cookie"])
    #expect(cookie.contains("; Path=/menu;"))
    #expect(cookie.wholeMatch(of: /bindery-session-[A-Za-z0-9_-]{8}=.*/) != nil)
    let below = try TestAPI(basePath: #require(BasePath("/menu/dinner")))
    let both = try api.signIn(at: "/menu/session") + "; " + below.signIn(at: "/menu/dinner/session")
    #expect(try api.loop.get("/menu/state/time", ["Cookie": both]).outcome == "200")
    #expect(try below.loop.get("/menu/dinner/state/time", ["Cookie": both]).outcome == "200")
  }

  @Test func `a secure cookie below a base path has the __Secure- prefix, because __Host- requires the path /`() throws
  {
    let api = try TestAPI(isSecure: true, basePath: Self.menu)
    let cookie = try api.signIn(at: "/menu/session")
    #expect(cookie.hasPrefix("__Secure-bindery-session-"))
    #expect(try api.loop.get("/menu/state/time", ["Cookie": cookie]).outcome == "200")
  }
}
