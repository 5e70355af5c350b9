import BinderyCore
import BinderyJSON
import BinderyTestKit
import Foundation
import Testing

/// The command in the 409 for an inactive case, pasted into a shell.
struct CurlLineTests {
  /// Names that a shell, curl or a URL would take for something else, and how they stand in a URL.
  static let names: [(name: String, segment: String)] = [
    ("plain", "plain"), ("it's", "it's"), ("a b", "a%20b"), ("\"q\"", "%22q%22"), ("[1-3]", "%5B1-3%5D"),
    ("{a,b}", "%7Ba,b%7D"), ("$HOME", "$HOME"), ("`ls`", "%60ls%60"), ("a\\b", "a%5Cb"), ("a/b~c", "a~1b~0c"),
    ("#?%&;|<>!*", "%23%3F%25&;%7C%3C%3E!*"), ("ü🍝", "%C3%BC%F0%9F%8D%9D"), ("\u{1}\u{7f}", "%01%7F"), ("-X", "-X"),
  ]

  /// Data as the client's JSON has it.
  static let texts = [
    "\"x\"", "\"it's\"", "\"'''\"", #""a\"b""#, #""a\\b\\n""#, "\"$HOME `ls` $(ls) !! *\"",
    #""a\nb\tc\u0000\u001b[31m""#,
    "\"\u{7f}\u{85}\u{202e}\u{2066}\u{200f}\"", "\"ü🍝\"", #""\ud83c\udf5d""#, "\"@/etc/passwd\"", "\"\"", "  \"x\"  ",
    "\"&a=b;c%41+\"",
  ]

  @Test(arguments: names)
  func `an address survives the shell`(_ name: String, _ segment: String) throws {
    try check(name, segment, "\"x\"")
  }

  @Test(arguments: texts)
  func `data survives the shell`(_ text: String) throws {
    try check("box", "box", text)
  }

  private func check(_ name: String, _ segment: String, _ text: String) throws {
    let live = try LiveService(Shelf(boxes: [name: .empty]))
    defer { live.stop() }
    let client = try CurlClient(live.address)
    let target = "/state/boxes/\(segment)/full"
    let refusal = try client.patch(target, text)
    #expect(refusal.outcome == "409 inactive-case")
    #expect(refusal.string("activeCase") == "empty")
    #expect(refusal.member("cases") == #"["empty","full","point"]"#)
    let line = try #require(refusal.string("curl"))
    #expect(line.hasPrefix("curl -X PUT '\(client.origin)/state/boxes/"))
    let controls = line.unicodeScalars.filter {
      $0.properties.generalCategory == .control || $0.properties.isBidiControl
    }
    #expect(controls.isEmpty, "\(line)")
    let shown = try Shell.run(line)
    #expect(shown.status == 0)
    let sent = try #require(try JSONDocument(parsing: Array(text.utf8)).root.string)
    #expect(live.store.snapshot.root.boxes.values.map(\.self) == [.full(sent)])
    #expect(shown.output == (try client.text(target)))
  }

  @Test func `no command is given that would fail`() throws {
    let live = try LiveService(Shelf(boxes: ["box": .empty]))
    defer { live.stop() }
    let client = try SocketClient(live.address)
    let refusals = [
      try client.patch("/state/boxes/box/full", "1"),
      try client.patch("/state/boxes/box/point", #"{"x":1}"#),
      try client.patch("/state/boxes/box/point/x", "1"),
      try client.jsonPatch("/state/boxes/box/full", #"[{"op":"replace","path":"","value":"x"}]"#),
      // More than the system hands to a program in one argument.
      try client.patch("/state/boxes/box/full", "\"\(String(repeating: "x", count: 200_000))\""),
    ]
    for refusal in refusals {
      #expect(refusal.outcome == "409 inactive-case")
      #expect(refusal.member("curl") == nil)
    }
    #expect(try client.get("/state/boxes/box/full").member("curl") == nil)
    let whole = try client.patch("/state/boxes/box/point", #"{"x":1,"y":2}"#)
    #expect(try Shell.run(try #require(whole.string("curl"))).output == #"{"x":1,"y":2}"#)
  }

  @Test func `an authority with a quote stays one word`() throws {
    // Over a socket the check of names would keep this one out.
    let client = MemoryClient(Store(Shelf(boxes: ["box": .empty])))
    let refusal = try client.patch("http://x';echo/state/boxes/box/full", "\"x\"")
    #expect(refusal.outcome == "409 inactive-case", "\(refusal)")
    #expect(refusal.string("curl")?.hasPrefix(#"curl -X PUT 'http://x'\'';echo/state"#) == true)
  }
}

/// A real shell with the real curl.
enum Shell {
  static func run(_ line: String) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", line]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
