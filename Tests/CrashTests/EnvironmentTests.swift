import BinderyTestKit
import Foundation
import Testing

/// Servers in processes with unusual limits and descriptors, and several servers on one machine.
@Suite(.serialized)
struct EnvironmentTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a second process on the same port fails to start`() throws {
    let server = try Server(store: folder("first.db"), options: ["--threads", "2"])
    let second = try Server.run(
      "serve", "--listen", server.address, "--store", folder("second.db"), "--threads", "2")
    #expect(second.code == 69)
    #expect(second.errors.contains("cannot listen on \(server.address)"), "\(second.errors)")
    #expect(try server.client.get("/readyz").text == "ready\njournal: ok\nserver: ok\n")
  }

  @Test func `a write beyond the file size limit of the process fails with 507`() throws {
    // The units of ulimit are 512 bytes or 1 KiB, depending on the shell. The tests may run with SIGXFSZ ignored,
    // which child processes inherit.
    let server = try Server(
      store: folder("store.db"), shell: "ulimit -f 300; exec env --default-signal=XFSZ")
    let client = try server.client
    var last = try client.get("/state")
    var refused: Reply?
    for number in 0..<200 where refused == nil {
      let reply = try client.patch("/state/pinnedDish", #"{"name":"\#(String(repeating: "x", count: 90)) \#(number)"}"#)
      if reply.status == 200 { last = try client.get("/state") } else { refused = reply }
    }
    #expect(refused?.outcome == "507 insufficient-storage", "\(String(describing: refused))")
    #expect(refused?.string("detail")?.contains("file too large") == true)
    #expect(try client.get("/state").body == last.body)
    server.kill()
    let second = try Server(store: folder("store.db"))
    #expect(try second.client.get("/state").body == last.body)
  }

  @Test func `lines in the journal of systemd have priorities, and others have none`() throws {
    let server = try Server(store: folder("other.db"))
    let (store, log) = (folder("store.db"), folder("log"))
    for (name, prefixes) in [("$(stat -c %d:%i \(log))", ["<6>", "<3>"]), ("8:1", ["", ""]), ("", ["", ""])] {
      // The server opens its store and logs, and then fails, because its address is in use.
      let shell = "exec 2>\(log); export JOURNAL_STREAM=\(name); exec"
      let failed = try Server.run("serve", "--store", store, "--listen", server.address, shell: shell)
      #expect(failed.code == 69)
      let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines[0].contains(try Regex("^\(prefixes[0])20[0-9T:.-]+Z info ")), "\(lines)")
      #expect(lines[1].hasPrefix("\(prefixes[1])bindery: cannot listen"), "\(lines)")
    }
  }

  @Test func `an export that cannot be written completely fails`() throws {
    let server = try Server(store: folder("store.db"))
    #expect(server.stop() == 0)
    let export = try Server.run("export", "--store", folder("store.db"), shell: "exec >/dev/full; exec")
    #expect(export.code == 74)
    #expect(export.errors.contains("the output is incomplete"), "\(export.errors)")
  }

  @Test func `started with closed standard streams, a server writes nothing into other files`() throws {
    let server = try Server(store: folder("other.db"))
    let store = folder("store.db")
    // The server opens its store and logs, and then fails, because its address is in use.
    let failed = try Server.run(
      "serve", "--store", store, "--listen", server.address, shell: "exec 0<&- 1>&- 2>&-; exec")
    #expect(failed.code == 69)
    #expect(failed.errors == "")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("store") }
    #expect(names.contains("store.db"))
    for name in names {
      let content = try Data(contentsOf: URL(filePath: folder(name)))
      #expect(content.range(of: Data("cannot listen".utf8)) == nil && content.range(of: Data(" info ".utf8)) == nil)
    }
    let restarted = try Server(store: store)
    #expect(try restarted.client.get("/readyz").status == 200)
  }
}
