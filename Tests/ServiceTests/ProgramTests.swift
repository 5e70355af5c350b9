import BinderyCore
import BinderyService
import BinderySystem
import BinderyTestKit
import Foundation
import Glibc
import Testing

/// What a program declares, and how its commands use it.
@Suite(.serialized)
struct ProgramTests {
  @Test(arguments: [
    (["--listen"], "the program cannot have an option --listen, which is one of the service: rename it"),
    (["--help"], "the program cannot have an option --help, which is one of the service: rename it"),
    (["--a", "--b", "--a"], "the program has two options --a: rename one of them"),
    (
      ["--base_path"],
      "the options --base-path and --base_path have the same variable GARDEN_BASE_PATH: rename one of them"
    ),
    (["port"], "the program cannot have an option “port”: expected a name such as --time-zone"),
    (["--a=b"], "the program cannot have an option “--a=b”: expected a name such as --time-zone"),
  ])
  func `an option that could not be given is an error of every command`(_ names: [String], _ mistake: String) async {
    await Garden.$optionNames.withValue(names) {
      #expect(Garden.program.optionMistake == mistake)
      for arguments in [[], ["version"], ["serve", "--store", "memory", "--check"]] {
        #expect(await Garden.run(arguments, environment: [:]) == 78)
      }
    }
    #expect(Garden.program.optionMistake == nil)
  }

  @Test func `openapi prints the settled initial state`() async throws {
    let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
      exit(await Garden.run(["openapi"], environment: [:]))
    }
    let document = String(decoding: result.standardOutputContent, as: UTF8.self)
    #expect(document.contains("total: 3") && !document.contains("total: 0"), "\(document)")
  }

  @Test(arguments: [("serve", Int32(70)), ("openapi", 70), ("check", 78)])
  func `an initial state that the model rejects is an error`(_ command: String, _ code: Int32) async throws {
    let result = try await #require(
      processExitsWith: .exitCode(code), observing: [\.standardErrorContent]
    ) { [command] in
      let code = await Garden.$beds.withValue(-1) {
        await Garden.run([command, "--store", "memory", "--listen", "127.0.0.1:0"], environment: [:])
      }
      exit(code)
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(
      message.hasPrefix("garden: the initial state of Plot is invalid: a garden has beds (at /beds)"), "\(message)")
  }
}

/// A program that is cancelled.
struct CancellationTests {
  private enum Waiting: ServiceCommand {
    static let name = "waiting"
    static let initial = Tally()
    static let (messages, input) = AsyncStream.makeStream(of: String.self)

    static func background(_ service: Service<Tally>, _ launch: Launch) async throws {
      input.yield(service.addresses[0])
      for await _ in AsyncStream<Void>.makeStream().stream {}
      input.yield("cancelled")
    }
  }

  @Test func `cancelling a command stops its server and its background work`() async throws {
    let folder = try TemporaryFolder()
    let socket = folder("socket")
    let task = Task {
      await Waiting.run(["serve", "--listen", "unix:\(socket)", "--store", "memory"], environment: [:])
    }
    var messages = Waiting.messages.makeAsyncIterator()
    #expect(await messages.next() == "unix:\(socket)")
    #expect(FileManager.default.fileExists(atPath: socket))
    task.cancel()
    #expect(await messages.next() == "cancelled")
    #expect(await task.value == 0)
    #expect(!FileManager.default.fileExists(atPath: folder("socket")))
  }
}

/// A program that a service manager such as systemd starts.
struct ServiceManagerTests {
  /// A name that begins with `@` is in the abstract namespace.
  @Test(arguments: ["/notify", "@bindery-\(UUID())"])
  func `the service manager learns when the server is ready and when it stops`(_ name: String) async throws {
    let folder = try TemporaryFolder()
    let path = name.hasPrefix("/") ? folder("notify") : name
    let manager = try DatagramSocket(receivingAt: path, timeoutSeconds: 3_600)
    let (messages, input) = AsyncStream.makeStream(of: String?.self)
    // Receiving blocks its thread.
    try BinderySystem.Thread.detach { for _ in 0..<2 { input.yield(try? manager.receive()) } }
    var received = messages.makeAsyncIterator()
    let task = Task {
      await Garden.run(
        ["serve", "--listen", "unix:\(folder("socket"))", "--store", "memory"], environment: ["NOTIFY_SOCKET": path])
    }
    let message = "garden 0 serves unix:\(folder("socket")); the state is at /state"
    #expect(await received.next() == "READY=1\nSTATUS=\(message)")
    task.cancel()
    #expect(await received.next() == "STOPPING=1\nSTATUS=shutting down")
    #expect(await task.value == 0)
  }
}

/// A program whose model settles a member, and whose options a test declares.
private struct Garden: ServiceCommand {
  @TaskLocal static var optionNames: [String] = []
  @TaskLocal static var beds = 3

  static let name = "garden"
  static var initial: Plot { Plot(beds: beds) }
  static var options: [CommandOption] { optionNames.map { .toggle($0, "An option.") } }
}

private struct Plot: StateModel {
  var beds: Int
  var total = 0

  static let shape = EditableShape<Plot>.members(
    Plot.init, StoredMember("beds", \.beds), StoredMember("total", \.total))

  mutating func settle(from base: Plot) throws(InvalidState) {
    guard beds > 0 else { throw InvalidState("a garden has beds", at: "/beds") }
    total = beds
  }
}
