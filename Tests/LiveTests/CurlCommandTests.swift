import BinderyCore
import BinderyJSON
import BinderyService
import BinderySystem
import BinderyTestKit
import Foundation
import Testing

/// The curl command in the 409 response for an inactive case, run in a shell.
struct CurlCommandTests {
  /// Names with characters that are special to a shell, curl or a URL, and their URL encoding.
  static let names: [(name: String, segment: String)] = [
    ("plain", "plain"), ("it's", "it's"), ("a b", "a%20b"), ("\"q\"", "%22q%22"), ("[1-3]", "%5B1-3%5D"),
    ("{a,b}", "%7Ba,b%7D"), ("$HOME", "$HOME"), ("`ls`", "%60ls%60"), ("a\\b", "a%5Cb"), ("a/b~c", "a~1b~0c"),
    ("#?%&;|<>!*", "%23%3F%25&;%7C%3C%3E!*"), ("ü🍝", "%C3%BC%F0%9F%8D%9D"), ("\u{1}\u{7f}", "%01%7F"), ("-X", "-X"),
  ]

  /// JSON strings with characters that are special to a shell, curl or a terminal.
  static let texts = [
    "\"x\"", "\"it's\"", "\"'''\"", #""a\"b""#, #""a\\b\\n""#, "\"$HOME `ls` $(ls) !! *\"",
    #""a\nb\tc\u0000\u001b[31m""#,
    "\"ü🍝\"", "\"👨‍🍳\"", #""\ud83c\udf5d""#, "\"@/etc/passwd\"", "\"\"", "  \"x\"  ",
    "\"&a=b;c%41+\"",
  ]

  @Test(arguments: names)
  func `the URL of the command is quoted correctly`(_ name: String, _ segment: String) throws {
    try check(name, segment, "\"x\"")
  }

  @Test(arguments: texts)
  func `the data of the command is quoted correctly`(_ text: String) throws {
    try check("box", "box", text)
  }

  private func check(_ name: String, _ segment: String, _ text: String) throws {
    let live = try LiveService(Shelf(boxes: [name: .empty]))
    defer { live.stop() }
    let client = try CurlClient(live.address)
    let target = "/state/boxes/\(segment)/full"
    let rejection = try client.patch(target, text)
    #expect(rejection.outcome == "409 inactive-case")
    #expect(rejection.string("activeCase") == "empty")
    #expect(rejection.member("cases") == #"["empty","full","point"]"#)
    let command = try #require(rejection.string("curl"))
    #expect(command.hasPrefix("curl -X PUT '\(client.origin)/state/boxes/"))
    let controls = command.unicodeScalars.filter {
      $0.properties.generalCategory == .control || $0.properties.isBidiControl
    }
    #expect(controls.isEmpty, "\(command)")
    let result = try Shell.run(command)
    #expect(result.status == 0)
    let sent = try #require(try JSONDocument(parsing: Array(text.utf8)).root.string)
    #expect(live.store.snapshot.root.boxes.values.map(\.self) == [.full(sent)])
    #expect(result.output == (try client.text(target)) + "\n")
  }

  @Test func `no command is suggested that would fail`() throws {
    let live = try LiveService(Shelf(boxes: ["box": .empty]))
    defer { live.stop() }
    let client = try SocketClient(live.address)
    let rejections = [
      try client.patch("/state/boxes/box/full", "1"),
      try client.patch("/state/boxes/box/point", #"{"x":1}"#),
      try client.patch("/state/boxes/box/point/x", "1"),
      try client.jsonPatch("/state/boxes/box/full", #"[{"op":"replace","path":"","value":"x"}]"#),
      try client.patch("/state/boxes/box/full", "\"\(String(repeating: "x", count: 1_023))\""),
      // A terminal would not show these characters, or show other text in another order.
      try client.patch("/state/boxes/box/full", "\"\u{7f}\""), try client.patch("/state/boxes/box/full", "\"\u{85}\""),
      try client.patch("/state/boxes/box/full", "\"\u{202e}\""),
      try client.patch("/state/boxes/box/full", "\"\u{2028}\""),
      try client.patch("/state/boxes/box/full", "\"\u{feff}\""),
      try client.patch("/state/boxes/box/full", "\"\u{e000}\""),
    ]
    for rejection in rejections {
      #expect(rejection.outcome == "409 inactive-case")
      #expect(rejection.member("curl") == nil)
    }
    #expect(try client.get("/state/boxes/box/full").member("curl") == nil)
    let complete = try client.patch("/state/boxes/box/point", #"{"x":1,"y":2}"#)
    #expect(try Shell.run(try #require(complete.string("curl"))).output == "{\"x\":1,\"y\":2}\n")
  }

  @Test func `the longest body of a command has 1 KiB`() throws {
    let live = try LiveService(Shelf(boxes: ["box": .empty]))
    defer { live.stop() }
    let text = "\"\(String(repeating: "x", count: 1_022))\""
    let command = try #require(try SocketClient(live.address).patch("/state/boxes/box/full", text).string("curl"))
    #expect(try Shell.run(command).output == text + "\n")
  }

  @Test func `without a checked host no command is suggested`() throws {
    // Without a socket, because the server's check of the `Host` header would reject this authority.
    let client = MemoryClient(Store(Shelf(boxes: ["box": .empty])))
    for target in ["http://x';echo/state/boxes/box/full", "/state/boxes/box/full"] {
      let rejection = try client.patch(target, "\"x\"")
      #expect(rejection.outcome == "409 inactive-case", "\(rejection)")
      #expect(rejection.string("curl") == nil)
    }
  }

  @Test func `below a base path the command contains it, also if the request did not`() throws {
    var configuration = ServiceConfiguration<Shelf>()
    configuration.basePath = "/menu"
    let service = try Service(
      initial: Shelf(boxes: ["box": .empty]), listeningOn: ["127.0.0.1:0"], configuration: configuration)
    let thread = try BinderySystem.Thread { try? service.runBlocking() }
    defer {
      service.stop()
      thread.join()
    }
    let client = try SocketClient(service.addresses[0])
    for (target, hint) in [
      ("/menu/state/Boxes", "“Boxes” is not a member of /menu/state."), ("/state/boxes", "outside the base path"),
      ("/menu/boxes", "begin with /menu/state. Did you mean /menu/state/boxes?"),
      ("/boxes", "begin with /menu/state. Did you mean /menu/state/boxes?"),
    ] {
      let reply = try client.get(target)
      #expect(reply.outcome == "404 unknown-path" && reply.string("detail")?.contains(hint) == true, "\(reply.text)")
      #expect(reply.string("curl") == "curl '\(client.origin)/menu/state/boxes'")
    }
    let rejection = try client.patch("/menu/state/boxes/box/full", "x")
    let command = try #require(rejection.string("curl"))
    #expect(try Shell.run(command).output == "\"x\"\n")
  }

  @Test func `behind TLS the command uses https`() throws {
    var access = AccessPolicy.local
    access.isBehindTLS = true
    access.allowedHosts = ["menu.example"]
    let live = try LiveService(Shelf(boxes: ["box": .empty]), access: access)
    defer { live.stop() }
    let client = try SocketClient(live.address)
    let rejection = try client.patch("/state/boxes/box/full", "\"x\"", ["Host": "menu.example"])
    #expect(rejection.string("curl") == #"curl -X PUT 'https://menu.example/state/boxes/box/full' -d '"x"'"#)
  }
}

/// Runs commands in `/bin/sh`.
enum Shell {
  static func run(_ command: String, _ environment: [String: String]? = nil) throws -> (status: Int32, output: String) {
    let variables = environment.map { ProcessInfo.processInfo.environment.merging($0) { $1 } }
    let result = try ChildProcess.run("/bin/sh", ["-c", command], environment: variables)
    return (result.code, result.output)
  }
}
