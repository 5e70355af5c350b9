import BinderyAPI
import BinderyService
import BinderySystem
import BinderyTestKit
import Testing

/// The names that a server lets itself be called by.
struct HostTests {
  static let hosts: [(host: String, isOurs: Bool)] = [
    ("localhost", true), ("localhost:8080", true), ("LocalHost:1", true), ("localhost.", true), ("localhost.:80", true),
    ("127.0.0.1", true), ("127.0.0.1:8080", true), ("[::1]", true), ("[::1]:8080", true), ("localhost:", true),
    ("menu.example", true), ("Menu.Example:443", true), ("menu.example.", true),
    ("evil.example", false), ("evil.example:8080", false), ("localhost.evil.example", false), ("xlocalhost", false),
    ("localhos", false), ("127.0.0.1.evil.example", false), ("127.0.0.2", false), ("[::2]", false), ("0.0.0.0", false),
    ("2130706433", false), ("localhost..", false), ("%6cocalhost", false), ("menu.example.evil.example", false),
  ]

  @Test(arguments: hosts)
  func `a request that calls the server by another's name is refused`(_ host: String, _ isOurs: Bool) throws {
    let door = try Door(isGuarded: false, hosts: ["Menu.Example."])
    // Said again, at such length, it is known, and still looked at.
    for _ in 0..<4 {
      let reply = try door.loop.get("/state/time", ["Host": host, "User-Agent": "a client of a long name"])
      #expect(reply.outcome == (isOurs ? "200" : "421 misdirected-request"))
      #expect(try door.loop.put("/state/time", "\"tomorrow\"", ["Host": host]).status == (isOurs ? 200 : 421))
    }
    #expect(try door.loop.get("/livez", ["Host": host]).status == 200)
    #expect(try door.loop.get("/problems", ["Host": host]).status == (isOurs ? 200 : 421))
  }

  @Test func `the name in an absolute target counts, and not the field`() throws {
    let door = try Door(isGuarded: false, hosts: [])
    #expect(try door.loop.get("http://evil.example/state", ["Host": "localhost"]).status == 421)
    #expect(try door.loop.get("http://localhost/state", ["Host": "evil.example"]).status == 200)
  }

  @Test func `the name comes before the token`() throws {
    let door = try Door(hosts: [])
    #expect(try door.loop.get("/state", ["Host": "evil.example"]).status == 421)
    #expect(try door.loop.get("/state", ["Host": "localhost"]).status == 401)
  }

  @Test func `on the loopback the names are looked at`() throws {
    let live = try LiveService(Door.menu)
    defer { live.stop() }
    let client = try SocketClient(live.address)
    #expect(try client.get("/state").status == 200)
    #expect(try client.get("/state", ["Host": "evil.example"]).status == 421)
    // Browsers always name a host; a request of HTTP/1.0 need not.
    let socket = try ClientSocket(to: SocketAddress(live.address)!)
    try socket.send(Array("GET /livez HTTP/1.0\r\n\r\n".utf8))
    #expect(String(decoding: try socket.receive(), as: UTF8.self).hasPrefix("HTTP/1.1 200"))
  }

  @Test func `who listens for others answers to any name until one is given`() throws {
    for (hosts, status) in [([], 200), (["menu.example"], 421)] {
      var access = AccessPolicy.open
      access.allowedHosts = hosts
      let service = try Service(Door.menu, listeningOn: ["0.0.0.0:0"], eventLoops: 1, access: access)
      let thread = try Thread { try? service.run() }
      defer {
        service.stop()
        thread.join()
      }
      let client = try SocketClient(service.addresses[0].replacing("0.0.0.0", with: "127.0.0.1"))
      #expect(try client.get("/state", ["Host": "evil.example"]).status == status)
      #expect(try client.get("/state", ["Host": "menu.example:8080"]).status == 200)
      #expect(try client.get("/state").status == 200, "the loopback's names always are its own")
    }
  }

  @Test(arguments: ["0.0.0.0:0", "[::]:0", ":0"])
  func `a service that others can reach does not start without a word on who may`(_ address: String) throws {
    #expect {
      try Service(Door.menu, listeningOn: ["127.0.0.1:0", address], eventLoops: 1)
    } throws: { error in
      if case ServiceError.unprotected? = error as? ServiceError { true } else { false }
    }
    _ = try Service(Door.menu, listeningOn: [address], eventLoops: 1, access: .open)
    _ = try Service(Door.menu, listeningOn: [address], eventLoops: 1, access: .tokens([Door.write]))
  }

  @Test func `a policy that cannot be meant is refused`() throws {
    #expect(throws: ServiceError.self) { try AccessPolicy.tokens(["short"]) }
    for spoil in [
      { $0.allowedOrigins = ["*"] }, { $0.allowedOrigins = ["null"] }, { $0.allowedHosts = ["a b"] },
      { $0.allowedHosts = ["a:80"] },
    ] as [(inout AccessPolicy) -> Void] {
      var access = AccessPolicy.open
      spoil(&access)
      #expect(throws: ServiceError.self) {
        try Service(Door.menu, listeningOn: ["127.0.0.1:0"], eventLoops: 1, access: access)
      }
    }
  }
}
