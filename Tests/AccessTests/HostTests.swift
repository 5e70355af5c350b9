import BinderyAPI
import BinderyCore
import BinderyService
import BinderySystem
import BinderyTestKit
import Testing

/// The check of the `Host` header against the server's names.
struct HostTests {
  static let hosts: [(host: String, isAccepted: Bool)] = [
    ("localhost", true), ("localhost:8080", true), ("LocalHost:1", true), ("localhost.", true), ("localhost.:80", true),
    ("127.0.0.1", true), ("127.0.0.1:8080", true), ("[::1]", true), ("[::1]:8080", true), ("localhost:", true),
    ("menu.example", true), ("Menu.Example:443", true), ("menu.example.", true),
    // No page of another site has an IP address as its host unless it comes from there.
    ("127.0.0.2", true), ("[::2]", true), ("0.0.0.0:80", true), ("192.0.2.1", true), ("[2001:db8::1]:8080", true),
    ("[::ffff:192.0.2.1]", true),
    ("evil.example", false), ("evil.example:8080", false), ("localhost.evil.example", false), ("xlocalhost", false),
    ("localhos", false), ("127.0.0.1.evil.example", false), ("192.0.2.1.example", false), ("192.0.2", false),
    ("192.0.2.256", false), ("192.0.2.01", false), ("192.0.2.1.1", false), ("[v1.x]", false),
    ("2130706433", false), ("localhost..", false), ("%6cocalhost", false), ("menu.example.evil.example", false),
  ]

  @Test(arguments: hosts)
  func `a request with an unknown host is rejected with 421`(_ host: String, _ isAccepted: Bool) throws {
    let api = try TestAPI(requiresToken: false, hosts: ["Menu.Example."])
    // A loop remembers the last host that it has accepted.
    for _ in 0..<2 {
      #expect(try api.loop.get("/state/time", ["Host": "menu.example"]).status == 200)
      let reply = try api.loop.get("/state/time", ["Host": host, "User-Agent": "a client of a long name"])
      #expect(reply.outcome == (isAccepted ? "200" : "421 misdirected-request"))
      if !isAccepted {
        let name = host.hasSuffix(":8080") ? String(host.dropLast(5)) : host
        #expect(reply.string("detail")?.hasSuffix("on the command line with --allow-host \(name).") == true)
      }
      #expect(try api.loop.put("/state/time", "\"tomorrow\"", ["Host": host]).status == (isAccepted ? 200 : 421))
    }
    #expect(try api.loop.get("/livez", ["Host": host]).status == 200)
    #expect(try api.loop.get("/problems", ["Host": host]).status == (isAccepted ? 200 : 421))
  }

  @Test func `an https target on a connection without TLS has the type of its status`() throws {
    let api = try TestAPI(requiresToken: false, hosts: [])
    #expect(try api.loop.get("https://localhost/state").outcome == "421 misdirected-request")
  }

  @Test func `the host of an absolute request target takes precedence over the Host header`() throws {
    let api = try TestAPI(requiresToken: false, hosts: [])
    #expect(try api.loop.get("http://evil.example/state", ["Host": "localhost"]).status == 421)
    #expect(try api.loop.get("http://localhost/state", ["Host": "evil.example"]).status == 200)
  }

  @Test func `the host is checked before the token`() throws {
    let api = try TestAPI(hosts: [])
    #expect(try api.loop.get("/state", ["Host": "evil.example"]).status == 421)
    #expect(try api.loop.get("/state", ["Host": "localhost"]).status == 401)
  }

  @Test func `a probe with an unknown host gets no reasons`() throws {
    let loop = MemoryLoop(
      Store(TestAPI.menu), accessControl: AccessControl(hosts: HostNames([]), clock: { 0 }),
      journalStatus: .failing(.full("no space in /data")))
    #expect(try loop.get("/readyz", ["Host": "localhost"]).text.contains("no space in /data"))
    let reply = try loop.get("/readyz", ["Host": "evil.example"])
    #expect(reply.status == 503 && !reply.text.contains("/data"), "\(reply.text)")
  }

  @Test func `a service on the loopback interface checks the host`() throws {
    let live = try LiveService(TestAPI.menu)
    defer { live.stop() }
    let client = try SocketClient(live.address)
    #expect(try client.get("/state").status == 200)
    #expect(try client.get("/state", ["Host": "evil.example"]).status == 421)
    // Browsers always send a host. An HTTP/1.0 request may have none.
    let socket = try ClientSocket(to: SocketAddress(live.address)!)
    try socket.send(Array("GET /livez HTTP/1.0\r\n\r\n".utf8))
    #expect(String(decoding: try socket.receive(), as: UTF8.self).hasPrefix("HTTP/1.1 200"))
  }

  /// The access policy of a service, its addresses, and whether it checks the host.
  static let services: [(isOpen: Bool, hosts: [String], addresses: [String], isChecked: Bool)] = [
    (true, [], ["0.0.0.0:0"], true), (true, ["menu.example"], ["0.0.0.0:0"], true), (true, [], ["[::]:0"], true),
    (true, [], ["127.0.0.1:0"], true), (false, [], ["0.0.0.0:0"], false),
    (false, ["menu.example"], ["0.0.0.0:0"], true), (false, [], ["127.0.0.1:0"], true),
    (false, [], ["0.0.0.0:0", "127.0.0.2:0"], true),
  ]

  @Test(arguments: services)
  func `the host is checked without tokens, on loopback, and if names are configured`(
    _ service: (isOpen: Bool, hosts: [String], addresses: [String], isChecked: Bool)
  ) throws {
    var access = try service.isOpen ? AccessPolicy.open : .tokens([TestAPI.writeToken])
    access.allowedHosts = service.hosts
    let running = try Service(initial: TestAPI.menu, listeningOn: service.addresses, access: access)
    let thread = try Thread { try? running.runBlocking() }
    defer {
      running.stop()
      thread.join()
    }
    let address = running.addresses[0].replacing("0.0.0.0", with: "127.0.0.1").replacing("[::]", with: "[::1]")
    let client = try SocketClient(address)
    func status(_ host: String) throws -> Int {
      try client.get("/state", ["Host": host, "Authorization": "Bearer \(TestAPI.writeToken)"]).status
    }
    #expect(try status("evil.example") == (service.isChecked ? 421 : 200))
    #expect(try status("menu.example:8080") == (service.isChecked && service.hosts.isEmpty ? 421 : 200))
    for host in ["localhost", "192.0.2.1", "[2001:db8::1]:80"] { #expect(try status(host) == 200) }
  }

  @Test(arguments: ["0.0.0.0:0", "[::]:0", ":0"])
  func `a service that other machines can reach does not start without an access policy`(_ address: String) throws {
    #expect {
      try Service(initial: TestAPI.menu, listeningOn: ["127.0.0.1:0", address])
    } throws: { error in
      if case ServiceError.unprotected? = error as? ServiceError { true } else { false }
    }
    _ = try Service(initial: TestAPI.menu, listeningOn: [address], access: .open)
    _ = try Service(initial: TestAPI.menu, listeningOn: [address], access: .tokens([TestAPI.writeToken]))
  }

  @Test func `an invalid access policy is rejected`() throws {
    #expect(throws: ServiceError.self) { try AccessPolicy.tokens(["short"]) }
    let token = TestAPI.writeToken
    #expect(throws: ServiceError.self) { try AccessPolicy.tokens([token], reading: [TestAPI.readToken, token]) }
    for invalidate in [
      { $0.allowedOrigins = ["*"] }, { $0.allowedOrigins = ["null"] }, { $0.allowedHosts = ["a b"] },
      { $0.allowedHosts = ["a:80"] },
    ] as [(inout AccessPolicy) -> Void] {
      var access = AccessPolicy.open
      invalidate(&access)
      #expect(throws: ServiceError.self) {
        try Service(initial: TestAPI.menu, listeningOn: ["127.0.0.1:0"], access: access)
      }
    }
  }
}
