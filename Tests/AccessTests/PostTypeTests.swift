import BinderyCore
import BinderyMenu
import BinderyTestKit
import Testing

/// The media types of `POST`. curl's default type is that of an HTML form, which any page can send without a preflight.
struct PostTypeTests {
  private typealias Field = (name: String, value: String)

  static let defaults = [
    nil, "", "application/x-www-form-urlencoded", "Application/X-WWW-Form-URLEncoded; charset=utf-8",
  ]

  /// Headers of browsers, and whether all of them name this server's origin.
  static let pages: [(origin: String?, site: String?, isOwn: Bool)] = [
    (nil, nil, true), ("http://memory", nil, true), ("https://memory", nil, true), ("HTTP://Memory", nil, true),
    (nil, "same-origin", true), (nil, "none", true), ("http://memory", "same-origin", true),
    ("http://memory", "same-site", false), ("http://memory", "cross-site", false),
    ("https://app.example", nil, false), ("https://app.example", "same-origin", false),
    ("https://app.example", "cross-site", false),
  ]

  private func request(_ path: String, _ type: String?, _ origin: String?, _ site: String?) -> Request {
    let fields = [("Content-Type", type), ("Origin", origin), ("Sec-Fetch-Site", site)].compactMap { name, value in
      value.map { (name: name, value: $0) }
    }
    return Request("POST", path, fields: fields, body: Array((path == "/state/dishes" ? #"{"name":"Soup"}"# : "").utf8))
  }

  @Test(arguments: pages)
  func `curl's default type is accepted unless a page of another origin sends it`(
    _ page: (origin: String?, site: String?, isOwn: Bool)
  ) throws {
    let api = try TestAPI(requiresToken: false, origins: ["https://app.example"])
    for type in Self.defaults {
      let reply = try api.loop.send(request("/state/dishes", type, page.origin, page.site))
      #expect(reply.outcome == (page.isOwn ? "201" : "415 unsupported-media-type"), "\(type ?? "none")")
      if page.isOwn { continue }
      #expect(reply["Accept-Post"] == "application/json")
      #expect(reply.string("expected") == "Content-Type: application/json")
    }
    #expect(try api.loop.send(request("/state/dishes", "application/json", page.origin, page.site)).status == 201)
    for type in [
      "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded; charset=utf-16", ";",
      ";application/json", "; ;application/json",
    ] {
      #expect(try api.loop.send(request("/state/dishes", type, page.origin, page.site)).status == 415)
    }
  }

  @Test(arguments: pages)
  func `a revert has the same rules`(_ page: (origin: String?, site: String?, isOwn: Bool)) throws {
    let api = try TestAPI(requiresToken: false, origins: ["https://app.example"])
    for type in Self.defaults {
      let reply = try api.loop.send(request("/history/1/revert", type, page.origin, page.site))
      // The store is in memory and new, so the revision does not exist.
      #expect(reply.outcome == (page.isOwn ? "404 no-such-element" : "415 unsupported-media-type"), "\(type ?? "none")")
    }
    let typed = try api.loop.send(request("/history/1/revert", "application/json", page.origin, page.site))
    #expect(typed.outcome == "404 no-such-element")
  }

  @Test func `a null origin is never this server's, even if it is the only sign of a page`() throws {
    let api = try TestAPI(requiresToken: false)
    for type in Self.defaults + ["application/json"] {
      #expect(try api.loop.send(request("/state/dishes", type, "null", nil)).outcome == "403 forbidden")
    }
    #expect(api.loop.store.revision == 0)
  }
}
