import BinderyCore
package import BinderyJournal
import BinderySystem
package import BinderyTelemetry

/// The options of the command line and the environment. ``Program/flags`` defines how they are
/// parsed.
package struct Options: Sendable {
  /// The program that the options belong to.
  package let program: Program

  /// The addresses to listen on.
  package var listen = ["127.0.0.1:8080"]
  /// The path of the service's root on its host.
  package var basePath = "/"
  /// The number of event loop threads. 0 means one per core.
  package var threads = 0

  /// The path of the file with tokens that may read and write.
  package var tokenFile: String?
  /// The path of the file with read-only tokens.
  package var readTokenFile: String?
  /// Whether all clients may read and write without a token.
  package var isAuthenticationDisabled = false
  /// The lifetime of a browser session.
  package var sessionTime = Duration.days(7)
  /// The origins whose web pages may send requests from a browser (CORS).
  package var allowedOrigins: [String] = []
  /// The host names that the `Host` header may contain, in addition to localhost.
  package var allowedHosts: [String] = []
  /// Whether a proxy in front of the server terminates TLS.
  package var isBehindTLS = false

  /// The path of the model file; nil to serve the model of the program.
  package var model: String?
  /// The path of the data file that the model is inferred from, and that the state of a new store comes from.
  package var from: String?
  /// Whether the objects of an inferred model may have further members.
  package var isOpen = false
  /// Whether the data file replaces the state of an existing store.
  package var reseeds = false
  /// Whether the data file and the store are synchronized.
  package var syncs = false
  /// The location of the store on the command line or in the environment.
  private var givenStore: String?
  /// The path of the store, or `memory`. The default for a data file or a model file is beside it.
  package var store: String {
    get { givenStore ?? (from ?? model).map(Options.store(beside:)) ?? program.defaultStore }
    set { givenStore = newValue }
  }
  /// The time to wait for another server to close the store.
  package var storeWaitTime = Duration(milliseconds: 0)
  /// The limits of the history.
  package var retention = Retention()

  /// The path of the folder whose files are served; nil for the program's own files.
  package var www: String?

  /// The paths of the files that no client may read, those of the store included.
  var privateFiles: [String] {
    get throws(CommandError) {
      [tokenFile, readTokenFile, model, from, from.map(ModelSource.modelFile(beside:))].compactMap(\.self)
        + (try driver.files)
    }
  }

  /// The values of the options of the program, by name.
  package var values: [String: String] = [:]
  /// The source of each value: the name of the option, or of its variable.
  var givenNames: [String: String] = [:]

  /// The format of log lines.
  package var logFormat = LogFormat.text
  /// The minimum severity of log lines.
  package var logLevel = LogLevel.info
  /// Whether the server logs one line per request.
  package var logsRequests = false

  /// Whether `serve` only validates the configuration.
  package var checksOnly = false
  /// The arguments that are not flags: the file names of some commands.
  package var operands: [String] = []

  /// Creates the default options.
  package init(_ program: Program) {
    self.program = program
  }

  /// The value of an option of the program.
  subscript(option name: String) -> String? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// The value of a switch of the program.
  subscript(switch name: String) -> Bool {
    get { values[name] == "true" }
    set { values[name] = newValue ? "true" : nil }
  }

  /// The time to wait for another server to close the store, in milliseconds.
  package var storeWaitMilliseconds: Int64 { storeWaitTime.milliseconds }
}

extension Options {
  /// Parses the environment variables, then the arguments, which take precedence.
  ///
  /// - Throws: ``UsageError`` for an unknown option, a missing or invalid value, or conflicting options.
  package init(
    arguments: some Sequence<String>, environment: [String: String], _ program: Program
  ) throws(UsageError) {
    self.init(program)
    let flags = program.flags
    try apply(environment, flags)
    let values = try parse(Array(arguments), flags)
    for flag in flags {
      guard let given = values[flag.name], let last = given.last else { continue }
      try flag.set(&self, flag.isList ? given.joined(separator: ",") : last, flag.name)
    }
    try checkCombinations()
  }

  private mutating func apply(_ environment: [String: String], _ flags: [Flag]) throws(UsageError) {
    for flag in flags {
      // Deployment templates set an empty variable to mean "not set".
      guard let text = environment[flag.variable(program)], !text.isEmpty else { continue }
      do throws(UsageError) {
        try flag.set(&self, text, flag.variable(program))
      } catch { throw UsageError(error.message, isFromEnvironment: true) }
    }
    let known = Set(flags.map { $0.variable(program) })
    for name in environment.keys.sorted()
    where name.hasPrefix(program.variablePrefix) && !known.contains(name) && !isServiceLink(name, environment[name]) {
      if program.unusedOptions.contains(where: { program.variable(of: $0) == name }) {
        throw UsageError("\(Self.unused(name)): unset it", isFromEnvironment: true)
      }
      let prefix = program.variablePrefix
      let names = known.sorted().map { String($0.dropFirst(prefix.count)) }
      let similar = Spelling.closest(to: String(name.dropFirst(prefix.count)), among: names)
      let suggestion = similar.map { " Did you mean \(prefix)\($0)?" } ?? ""
      throw UsageError(
        "unknown environment variable \(name).\(suggestion) Run \(program.name) --help for a list of options",
        isFromEnvironment: true)
    }
  }

  /// Returns the message for an option, or its variable, that does not apply to the model of a file.
  private static func unused(_ name: String) -> String {
    "\(name) belongs to the built-in model and cannot be used with --model or --from"
  }

  /// Returns the error for an option that the program does not have.
  private func unknown(_ name: String, _ flags: [Flag]) -> UsageError {
    if program.unusedOptions.contains(name) { return UsageError("\(Self.unused(name)): remove it") }
    if name == "--version" {
      return UsageError("--version takes the place of a command: run \(program.name) --version")
    }
    let similar =
      flags.first { $0.otherNames.contains(name) }?.name ?? Spelling.closest(to: name, among: flags.map(\.name))
    let suggestion = similar.map { " Did you mean \($0)?" } ?? ""
    return UsageError("unknown option “\(name)”.\(suggestion) Run \(program.name) --help for a list of options")
  }

  /// Whether Kubernetes sets the variable in pods because of a service with the name of the program.
  private func isServiceLink(_ name: String, _ value: String?) -> Bool {
    let name = name.dropFirst(program.variablePrefix.count)
    return name == "PORT" && value?.contains("://") == true || name == "SERVICE_HOST"
      || ["PORT_", "SERVICE_PORT"].contains(where: name.hasPrefix)
  }

  /// Returns the values of each flag in order. Arguments that are not flags become operands.
  private mutating func parse(_ arguments: [String], _ flags: [Flag]) throws(UsageError) -> [String: [String]] {
    var values: [String: [String]] = [:]
    var remaining = arguments[...]
    while let argument = remaining.popFirst() {
      guard argument.hasPrefix("--") else {
        operands.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let flag = flags.first(where: { $0.name == parts[0] }) else { throw unknown(parts[0], flags) }
      let text: String
      if parts.count > 1 {
        text = parts[1]
      } else if let value = flag.value {
        guard let next = remaining.popFirst() else { throw UsageError("missing value: expected \(flag.name) \(value)") }
        text = next
      } else {
        text = "true"
      }
      values[flag.name, default: []].append(text)
    }
    return values
  }

  /// Rejects options that contradict each other.
  private func checkCombinations() throws(UsageError) {
    if isAuthenticationDisabled, tokenFile != nil || readTokenFile != nil {
      throw UsageError("--no-auth cannot be combined with --token-file or --read-token-file: remove one of them")
    }
    let addresses = listen.map { (text: $0, address: SocketAddress($0)) }
    for (index, one) in addresses.enumerated() {
      guard let address = one.address,
        let other = addresses[..<index].first(where: { $0.address?.overlaps(address) ?? false })
      else { continue }
      throw UsageError("\(other.text) and \(one.text) of --listen overlap: remove one of them")
    }
    if isOpen, from == nil { throw UsageError("--open requires --from: it changes the model inferred from the data") }
    if syncs, from == nil { throw UsageError("--sync requires --from: it synchronizes the data file with the store") }
    if reseeds, from == nil { throw UsageError("--reseed requires --from: it replaces the state by the data file") }
    if let from, model == nil, from.hasSuffix(".model.json") {
      throw UsageError("--from expects a data file, got “\(from)”: pass a model file with --model")
    }
    if readTokenFile != nil, tokenFile == nil {
      throw UsageError("--read-token-file requires --token-file: otherwise no client could write")
    }
  }
}

extension Options {
  /// A duration in whole milliseconds.
  package struct Duration: Sendable, Hashable {
    /// The number of milliseconds.
    package let milliseconds: Int64

    /// Returns a duration of days.
    static func days(_ count: Int64) -> Duration { Duration(milliseconds: count * 86_400_000) }
  }
}

extension Options.Duration: CustomStringConvertible {
  private static let units: KeyValuePairs<String, Int64> = [
    "d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1,
  ]

  /// A duration in each unit, for messages.
  static let examples = [500, 30_000, 120_000, 43_200_000, 604_800_000].map(Self.init(milliseconds:))

  /// Parses `30`, `30s`, `500ms`, `2m`, `12h` or `7d`. Returns nil for all other formats and on overflow.
  init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count)
    guard let number = Int64(digits),
      let factor = unit.isEmpty ? 1_000 : Self.units.first(where: { $0.key == unit })?.value
    else { return nil }
    let (product, overflows) = number.multipliedReportingOverflow(by: factor)
    guard !overflows else { return nil }
    milliseconds = product
  }

  /// The duration in the largest unit that divides it, in the format of ``init(_:)``.
  package var description: String {
    guard milliseconds != 0, let unit = Self.units.first(where: { milliseconds % $0.value == 0 }) else { return "0s" }
    return "\(milliseconds / unit.value)\(unit.key)"
  }
}

extension Options {
  /// The store at `--store`.
  var driver: any StoreOperations {
    get throws(CommandError) {
      do throws(UsageError) { return try program.driver(at: store) } catch { throw CommandError(.usage, error.message) }
    }
  }
}

extension Options {
  /// Returns the location of the store beside a model file or a data file: `menu.db` for `menu.model.json`.
  static func store(beside file: String) -> String { base(of: file) + ".db" }

  /// Returns the path of a model file or a data file without its ending.
  static func base(of file: String) -> String {
    var base = file
    for ending in [".json", ".model"] where base.hasSuffix(ending) && base.count > ending.count {
      base.removeLast(ending.count)
    }
    return base
  }
}
