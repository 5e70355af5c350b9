/// The output of `--help`.
package enum Help {
  /// The usage of each command and its help.
  private static let usage = [
    ("serve [options]", "Run the server until SIGTERM or SIGINT."),
    ("check [options]", "Validate the configuration of serve, and change nothing."),
    ("health [options]", "Check that the server at --listen is ready."),
    ("export [options]", "Print the state of the store as JSON, even while a server uses it."),
    ("import [FILE]", "Replace the state of the store with JSON from FILE or standard input,"),
    ("", "while no server uses it (SQLite)."),
    ("backup FILE", "Copy the store to a new file, even while a server uses it."),
    ("restore FILE", "Replace the store by a backup, while no server uses it (SQLite)."),
    ("openapi [options]", "Print the OpenAPI document."),
    ("types --json-schema", "Print the model as a model file."),
    ("types --typescript", "Print the types of the model for client.js."),
    ("version", "Print the version."),
  ]

  /// The options of `types`, one for each form of output.
  static let typesForms = ["--json-schema", "--typescript"]

  /// The names of the commands.
  static var commands: [String] { usage.compactMap { $0.0.split(separator: " ").first.map(String.init) } + ["help"] }

  /// Returns the complete help text of a program.
  package static func text(_ program: Program) -> String {
    let name = program.name
    let usage = usage.map { command, help in
      (command.isEmpty ? padded("", to: name.count) : name + " ") + padded(command, to: 20) + help
    }
    let flags = program.flags
    let example = flags.first(where: \.group.isOfProgram) ?? flags[0]
    var groups: [Flag.Group] = []
    for flag in flags where !groups.contains(flag.group) { groups.append(flag.group) }
    return """
      \(name): \(program.summary)

      Usage: \(usage.joined(separator: "\n       "))

      Every option can also be set by an environment variable: \(example.variable(program)) sets \(example.name). The \
      command line takes
      precedence. --listen, --allow-origin and --allow-host take a list: separate the values with commas, or repeat the
      option. A TIME is 500ms, 30s, 2m, 12h or 7d; without a unit it is in seconds.
      All commands that use a store accept --store.

      \(groups.map { section($0, flags, Options(program)) }.joined(separator: "\n\n"))
      """
  }

  /// Returns the heading and the options of a group.
  private static func section(_ group: Flag.Group, _ flags: [Flag], _ defaults: Options) -> String {
    let lines = flags.filter { $0.group == group }.map { flag in
      let name = flag.name + (flag.value.map { " " + $0 } ?? "")
      return "  \(padded(name, to: 25))\(flag.help)\(defaultNote(flag, defaults))"
    }
    return "\(group.heading):\n" + lines.joined(separator: "\n")
  }

  /// Returns a text with spaces up to a width, and one more.
  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width + 1 - text.count))
  }

  /// Returns the default value in square brackets, or an empty text if there is none.
  private static func defaultNote(_ flag: Flag, _ defaults: Options) -> String {
    guard flag.value != nil, let value = flag.format(defaults), value != "0" else { return "" }
    return " [default: \(value)]"
  }
}
