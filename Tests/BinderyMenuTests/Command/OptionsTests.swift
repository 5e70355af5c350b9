import BinderyJournal
import BinderyMenu
import BinderyService
import BinderyTelemetry
import Testing

/// Parsing of the command line and the environment.
struct OptionsTests {
  private func parse(_ arguments: String..., environment: [String: String] = [:]) throws(UsageError) -> Options {
    try Options(arguments: arguments, environment: environment, MenuCommand.program)
  }

  @Test func `the defaults are the loopback address, a store file and no tokens`() throws {
    let options = try parse()
    #expect(options.listen == ["127.0.0.1:8080"])
    #expect(options.store == "bindery.db")
    #expect(options.tokenFile == nil)
    #expect(!options.isAuthenticationDisabled)
  }

  @Test func `the value of a flag follows a space or an equals sign`() throws {
    #expect(try parse("--store", "a.db").store == "a.db")
    #expect(try parse("--store=a=b.db").store == "a=b.db")
    #expect(try parse("--no-auth").isAuthenticationDisabled)
    #expect(try parse("--no-auth=false").isAuthenticationDisabled == false)
    #expect(try parse("--no-auth", "file").operands == ["file"])
  }

  @Test func `every flag has an environment variable, and the command line takes precedence`() throws {
    let environment = [
      "BINDERY_LISTEN": "127.0.0.1:1", "BINDERY_BASE_PATH": "/menu", "BINDERY_THREADS": "3", "BINDERY_TOKEN_FILE": "w",
      "BINDERY_READ_TOKEN_FILE": "r",
      "BINDERY_SESSION_TIME": "2h", "BINDERY_ALLOW_ORIGIN": "https://a.example", "BINDERY_ALLOW_HOST": "menu.example",
      "BINDERY_BEHIND_TLS": "true", "BINDERY_STORE": "s.db", "BINDERY_STORE_WAIT": "5",
      "BINDERY_HISTORY_REVISIONS": "7",
      "BINDERY_HISTORY_DAYS": "8", "BINDERY_HISTORY_BYTES": "9", "BINDERY_TIME_ZONE": "Europe/Rome",
      "BINDERY_CHECK": "1", "BINDERY_MODEL": "m.json", "BINDERY_FROM": "d.json", "BINDERY_OPEN": "1",
      "BINDERY_RESEED": "1", "BINDERY_SYNC": "1", "BINDERY_WWW": "site",
      "BINDERY_LOG_FORMAT": "json", "BINDERY_LOG_LEVEL": "warning", "BINDERY_ACCESS_LOG": "1",
    ]
    let options = try parse(environment: environment)
    #expect(options.listen == ["127.0.0.1:1"])
    #expect(options.basePath == "/menu")
    #expect(options.model == "m.json")
    #expect(options.from == "d.json" && options.isOpen && options.syncs && options.reseeds)
    #expect(options.threads == 3)
    #expect(options.tokenFile == "w")
    #expect(options.readTokenFile == "r")
    #expect(options.sessionTime.milliseconds == 7_200_000)
    #expect(options.allowedOrigins == ["https://a.example"])
    #expect(options.allowedHosts == ["menu.example"])
    #expect(options.isBehindTLS)
    #expect(options.store == "s.db")
    #expect(options.storeWaitMilliseconds == 5_000)
    #expect(options.retention.revisions == 7)
    #expect(options.retention.days == 8)
    #expect(options.retention.bytes == 9)
    #expect(options.values["--time-zone"] == "Europe/Rome")
    #expect(options.www == "site")
    #expect(options.checksOnly)
    #expect(options.logFormat == .json)
    #expect(options.logLevel == .warning)
    #expect(options.logsRequests)
    #expect(try parse("--threads", "4", environment: environment).threads == 4)
    #expect(try parse(environment: ["BINDERY_NO_AUTH": "yes"]).isAuthenticationDisabled)
    // The help lists all flags, and the summary all flags that have a value.
    let flags = Help.text(MenuCommand.program).matches(of: /(?m)^  (--[a-z-]+)/).map { String($0.output.1) }
    let variables = Set(flags.map { "BINDERY_" + $0.dropFirst(2).uppercased().replacing("-", with: "_") })
    #expect(variables == Set(environment.keys).union(["BINDERY_NO_AUTH"]))
    for flag in flags where flag != "--no-auth" { #expect(options.summary.contains(flag.dropFirst(2) + "=")) }
  }

  @Test func `a list is separated by commas or given by repeating the flag`() throws {
    let expected = ["https://a.example", "http://b.example:81", "https://c.example"]
    #expect(
      try parse("--allow-origin", "https://a.example, http://b.example:81", "--allow-origin=https://c.example")
        .allowedOrigins == expected)
    #expect(try parse("--listen", ":1", environment: ["BINDERY_LISTEN": ":2,:3"]).listen == [":1"])
    for apart in ["127.0.0.1:1,[::1]:1,127.0.0.2:1", "0.0.0.0:1,[::1]:1", ":1,:2", ":0,:0", "unix:/a,unix:/b"] {
      #expect(try parse("--listen", apart).listen.count == apart.split(separator: ",").count)
    }
  }

  @Test(arguments: [
    ("0", 0), ("30", 30_000), ("30s", 30_000), ("500ms", 500), ("2m", 120_000), ("12h", 43_200_000), ("1d", 86_400_000),
  ])
  func `a time has a unit, and is in seconds without one`(_ text: String, _ milliseconds: Int64) throws {
    #expect(try parse("--store-wait", text).storeWaitMilliseconds == milliseconds)
  }

  @Test(arguments: [
    "", "s", "-1", "1.5s", "1 s", "1S", "1w", "٣", "99999999999999999999", "9223372036854775807d", "2d", "0x1",
  ])
  func `an invalid or too long time is rejected`(_ text: String) {
    #expect(throws: UsageError.self) { try parse("--store-wait", text) }
  }

  @Test(arguments: [
    (["--nothing"], "--nothing"), (["--nothing=secret"], "--nothing”"), (["--store"], "--store FILE"),
    (["--store", ""], "--store"), (["--threads", "0"], "1 to 256"), (["--threads", "x"], "--threads"),
    (["--base-path", "menu"], "--base-path"), (["--base-path", "/a b"], "/menu"), (["--listen", "nowhere"], "nowhere"),
    (["--listen", "127.0.0.1:1,"], "--listen"), (["--listen", ""], "--listen"),
    (["--allow-origin", "*"], "*"), (["--allow-origin", "null"], "null"), (["--allow-host", "a:80"], "a:80"),
    (["--no-auth=maybe"], "maybe"), (["--token-file", ""], "--token-file"),
    (["--session-time", "5s"], "from 1m to 365d for --session-time, such as 2m or 12h,"),
    (["--no-auth", "--token-file", "f"], "remove one of them"), (["--version"], "run bindery --version"),
    (["--read-token-file", "f"], "--token-file"),
    (["--listen", ":1", "--listen", "127.0.0.1:1"], ":1 and 127.0.0.1:1 of --listen overlap"),
    (["--listen", "localhost:1,127.0.0.1:1"], "overlap"), (["--listen", "0.0.0.0:1,127.0.0.1:1"], "overlap"),
    (["--listen", "[::]:1,0.0.0.0:1"], "overlap"), (["--listen", "unix:/a,unix:/a"], "overlap"),
    (["--history-days", "-1"], "--history-days"), (["--history-bytes", "64m"], "--history-bytes"),
    (["--reseed"], "--from"), (["--sync"], "--from"), (["--open"], "--from"), (["--from", "a.model.json"], "--model"),
    (["--store", ":memory:"], "“memory” for no file"), (["--store", "file:a.db?mode=memory"], "“memory”"),
  ])
  func `each usage error has a one-line message`(_ arguments: [String], _ expected: String) {
    do throws(UsageError) {
      _ = try Options(arguments: arguments, environment: [:], MenuCommand.program)
      Issue.record("\(arguments) was accepted")
    } catch {
      #expect(error.message.contains(expected), "\(error.message)")
      #expect(!error.message.contains("\n"))
      #expect(!error.isFromEnvironment)
    }
  }

  @Test(arguments: [
    (["BINDERY_THREADS": "x"], "BINDERY_THREADS"), (["BINDERY_TOKEN": "write-token-0123456789"], "BINDERY_TOKEN"),
    (["BINDERY_LISTNE": ":1"], "BINDERY_LISTNE. Did you mean BINDERY_LISTEN?"),
    (["BINDERY_ALLOW_ORIGIN": "*"], "BINDERY_ALLOW_ORIGIN"),
  ])
  func `an environment error names the variable but not a value that may be secret`(
    _ environment: [String: String], _ expected: String
  ) {
    do throws(UsageError) {
      _ = try Options(arguments: [], environment: environment, MenuCommand.program)
      Issue.record("\(environment) was accepted")
    } catch {
      #expect(error.isFromEnvironment)
      #expect(error.message.contains(expected))
      #expect(!error.message.contains("write-token"))
    }
  }

  @Test func `empty, unrelated and Kubernetes variables are ignored`() throws {
    let environment = [
      "BINDERY_STORE": "", "BINDERYX": "1", "PATH": "x", "BINDERY_PORT": "tcp://10.0.0.1:80",
      "BINDERY_PORT_80_TCP_ADDR": "10.0.0.1", "BINDERY_SERVICE_HOST": "10.0.0.1", "BINDERY_SERVICE_PORT": "80",
      "BINDERY_SERVICE_PORT_HTTP": "80",
    ]
    #expect(try parse(environment: environment).summary == parse().summary)
    // Kubernetes sets a URL. A number is a port for the program.
    let error = #expect(throws: UsageError.self) { try parse(environment: ["BINDERY_PORT": "8080"]) }
    #expect(error?.message.contains("unknown environment variable BINDERY_PORT") == true)
  }

  @Test func `the summary of the effective options is one line`() throws {
    let options = try parse("--store", "a b\n.db", "--no-auth", "--allow-host", "a,b")
    #expect(options.summary.contains(#"store="a b\n.db""#))
    #expect(options.summary.contains("no-auth=true"))
    #expect(options.summary.contains("allow-host=a,b"))
    #expect(!options.summary.contains("\n"))
  }

  @Test func `the help fits a terminal`() {
    #expect(Help.text(MenuCommand.program).split(separator: "\n").allSatisfy { $0.count <= 120 })
  }
}
