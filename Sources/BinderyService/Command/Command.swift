import BinderyAPI
import BinderyCore
import BinderyModelFile
import BinderyOpenAPI
import BinderySystem

/// The commands of a program.
struct Command<State: Sendable>: Sendable {
  let main: CommandProgram<State>

  var model: ModelDefinition<State> { main.model }
  private var program: Program { main.program }
  var name: String { program.name }

  /// Runs a command.
  ///
  /// - Returns: The exit code: 0 for success, 1 if the service failed or is not ready, or ``CommandError/Code``.
  func run(_ arguments: [String], _ environment: [String: String]) async -> Int32 {
    let remaining = arguments.dropFirst()
    let wantsHelp = remaining.contains("--help") || remaining.contains("-h")
    do throws(CommandError) {
      switch wantsHelp ? nil : arguments.first {
      case "serve"?:
        let options = try options(remaining, environment, allowsCheck: true)
        if options.checksOnly { try check(options, environment) } else { return try await serve(options, environment) }
      case "check"?: try check(options(remaining, environment, allowsCheck: true), environment)
      case "health"?: return try health(options(remaining, environment))
      case "export"?: try export(options(remaining, environment))
      case "import"?: try `import`(options(remaining, environment, operands: 0...1))
      case "backup"?: try backup(options(remaining, environment, operands: 1...1))
      case "restore"?: try restore(options(remaining, environment, operands: 1...1))
      case "openapi"?:
        try write(openAPI(options(remaining, environment)))
      case "types"?: try types(remaining, environment)
      case "version"?, "--version"?:
        try requireNoArguments(remaining)
        try write("\(name) \(program.version)\n")
      case nil, "--help"?, "-h"?: try write(Help.text(program) + "\n")
      case "help"?:
        if let topic = remaining.first, !Help.commands.contains(topic) {
          throw CommandError(.usage, unknownCommand(topic))
        }
        try requireNoArguments(remaining.dropFirst())
        try write(Help.text(program) + "\n")
      case let other? where other.hasPrefix("-"):
        throw CommandError(.usage, "expected a command before “\(other)”, as in \(name) serve \(other)")
      case let other?: throw CommandError(.usage, unknownCommand(other))
      }
      return 0
    } catch {
      StandardError.printError("\(name): \(message(of: error))")
      return error.code.rawValue
    }
  }

  /// Returns the message of an error, with what to do if the store may have the model of a file.
  func message(of error: CommandError) -> String {
    guard error.isMisfit, program.servesModelFiles, main.source == nil else { return error.message }
    // First, because it is the usual cause: the places that do not fit, or rarer remedies, follow.
    var lines = error.message.split(separator: "\n", omittingEmptySubsequences: false)
    lines.insert("If the store has the model of a file, pass that model with --model FILE or --from FILE.", at: 1)
    return lines.joined(separator: "\n")
  }

  private func unknownCommand(_ text: String) -> String {
    let suggestion = Spelling.suggestion(for: text, among: Help.commands)
    return "unknown command “\(text)”.\(suggestion) Run \(name) --help for a list of commands"
  }

  /// Rejects arguments of a command that has none.
  private func requireNoArguments(_ arguments: ArraySlice<String>) throws(CommandError) {
    guard let argument = arguments.first else { return }
    throw CommandError(.usage, "unexpected argument “\(argument)”: this command has no arguments")
  }

  /// Parses the options of a command.
  ///
  /// - Parameters:
  ///   - operands: The number of arguments that are not options.
  ///   - allowsCheck: Whether the command supports `--check`.
  private func options(
    _ arguments: ArraySlice<String>, _ environment: [String: String], operands: ClosedRange<Int> = 0...0,
    allowsCheck: Bool = false
  ) throws(CommandError) -> Options {
    let options: Options
    do throws(UsageError) {
      options = try Options(arguments: arguments, environment: environment, program)
    } catch { throw CommandError(error.isFromEnvironment ? .configuration : .usage, error.message) }
    guard allowsCheck || !options.checksOnly else {
      throw CommandError(.usage, "only the command serve accepts --check")
    }
    guard options.operands.count >= operands.lowerBound else {
      throw CommandError(.usage, "missing argument: expected a file name; run \(name) --help for the arguments")
    }
    if let unexpected = options.operands.dropFirst(operands.upperBound).first {
      throw CommandError(.usage, "unexpected argument “\(unexpected)”: run \(name) --help for the arguments")
    }
    return options
  }

  /// Queries the readiness of the server at `--listen`.
  private func health(_ options: Options) throws(CommandError) -> Int32 {
    guard let address = options.listen.first.flatMap(SocketAddress.init) else {
      throw CommandError(.usage, "--listen needs an address, such as 127.0.0.1:8080")
    }
    switch HealthCheck.readiness(of: address) {
    case .success((200, _)): return 0
    case .success((let status, let reason)):
      let detail = reason.map { ": \($0)" } ?? ""
      StandardError.print(
        "\(name): the server at \(address) is not ready: GET /readyz returned status \(status)\(detail)")
    case .failure(.again): StandardError.print("\(name): the server at \(address) does not respond within 3 seconds")
    case .failure(let error): StandardError.print("\(name): the server at \(address) does not respond: \(error)")
    }
    return 1
  }

  /// Prints the types of the model.
  ///
  /// The other arguments are checked, so that a misspelt `--model` does not print the types of the program's own model.
  private func types(_ arguments: ArraySlice<String>, _ environment: [String: String]) throws(CommandError) {
    let forms = arguments.filter(Help.typesForms.contains)
    guard forms.count == 1 else {
      throw CommandError(
        .usage,
        """
        expected types --json-schema, which prints the model as a model file, or types --typescript, which prints its \
        types for client.js
        """)
    }
    _ = try options(arguments.filter { !Help.typesForms.contains($0) }[...], environment)
    if forms == ["--json-schema"] {
      try write(String(decoding: ModelFile.text(of: model.described), as: UTF8.self))
    } else {
      try write(TypeScriptTypes(of: model, program: name).text)
    }
  }

  /// Returns the OpenAPI document, as the server with these options has it.
  private func openAPI(_ options: Options) throws(CommandError) -> String {
    do {
      let launch = try Launch(options, environment: [:], stored: [:])
      let service = try configuration(options, launch)
      guard let basePath = BasePath(service.basePath) else {
        throw ServiceError.malformedBasePath(service.basePath)
      }
      let example = try service.example ?? main.settledInitial(launch)
      return OpenAPIDocument(
        of: example, model, title: service.title, version: service.version, basePath: basePath.text
      ).yaml
    } catch { throw CommandError(error) }
  }

  /// Returns the settings of the service, without those of the log.
  func configuration(_ options: Options, _ launch: Launch) throws -> ServiceConfiguration<State> {
    var service = ServiceConfiguration<State>()
    (service.title, service.version) = (main.title, program.version)
    service.basePath = options.basePath
    service.eventLoops = options.threads == 0 ? nil : options.threads
    service.retention = options.retention
    service.logsRequests = options.logsRequests
    try main.configure(&service, launch)
    if let folder = options.www { (service.folder, service.files) = (folder, []) }
    service.privateFiles = try options.privateFiles
    return service
  }
}
