import BinderyTestKit
import Testing

/// The service below a path of a site, behind each proxy of `deploy/base-path`.
@Suite(.enabled(if: Proxy.Configuration.allCases.allSatisfy(\.isInstalled), "no proxies: run scripts/test"))
struct BasePathTests {
  static let configurations = [Proxy.Configuration.nginxBelowPath, .caddyBelowPath]

  @Test(.timeLimit(.minutes(10)), arguments: configurations)
  func `the page, the state and the links of responses are below the path`(
    _ configuration: Proxy.Configuration
  ) throws {
    let client = try Proxy(configuration).client
    let redirect = try client.send("GET", "/menu").1
    #expect([301, 307].contains(redirect.status))
    #expect(redirect["Location"]?.hasSuffix("/menu/") == true)
    #expect(try client.send("GET", "/menu/").1.text.contains("<title>Bindery"))
    #expect(try client.send("GET", "/menu/js/page.js").1.outcome == "200")
    let created = try client.send("POST", "/menu/state/dishes", #"{"name": "Soup"}"#, "Content-Type: application/json")
      .1
    #expect(created.outcome == "201")
    let location = try #require(created["Location"])
    #expect(try client.send("GET", location).1.string("name") == "Soup")
    let problem = try client.send("GET", "/menu/state/nothing").1
    #expect(problem.outcome == "404 unknown-path")
    #expect(try client.send("GET", #require(problem.string("type"))).1.outcome == "200")
    #expect(try client.send("GET", "/state").1.outcome == "404", "the proxy does not forward other paths")
  }

  @Test(.timeLimit(.minutes(10)), arguments: configurations)
  func `an event is delivered without buffering`(_ configuration: Proxy.Configuration) throws {
    let proxy = try Proxy(configuration)
    let events = try proxy.client.events("/menu/state/time")
    #expect(events.next()?.data == #""tonight""#)
    #expect(try proxy.client.send("PATCH", "/menu/state/time", #""tomorrow""#).1.outcome == "200")
    #expect(events.next()?.data == #""tomorrow""#)
  }
}
