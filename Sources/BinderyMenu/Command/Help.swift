/// The output of `bindery --help`.
package enum Help {
  /// The complete help text.
  package static var text: String {
    """
    bindery: an HTTP JSON server for editable state

    Usage: bindery serve [options]     Run the server until SIGTERM or SIGINT.
           bindery health [options]    Check that the server at --listen is ready.
           bindery export [options]    Print the state of the store as JSON, even while a server uses it.
           bindery import [FILE]       Replace the state of the store with JSON from FILE or standard input,
                                       while no server uses it.
           bindery backup FILE         Copy the store to a new file, even while a server uses it.
           bindery openapi             Print the OpenAPI document.
           bindery version             Print the version.

    Every option can also be set by an environment variable: BINDERY_TIME_ZONE sets --time-zone. The command line takes
    precedence. --listen, --allow-origin and --allow-host take a list: separate the values with commas, or repeat the
    option. A TIME is 500ms, 30s, 2m, 12h or 7d; without a unit it is in seconds.

    \(Flag.Group.allCases.map(section).joined(separator: "\n\n"))
    """
  }

  /// Returns the heading and the options of a group.
  private static func section(_ group: Flag.Group) -> String {
    let lines = Options.flags.filter { $0.group == group }.map { flag in
      let name = flag.name + (flag.value.map { " " + $0 } ?? "")
      let padding = String(repeating: " ", count: max(1, width - name.count))
      return "  \(name)\(padding)\(flag.help)\(defaultNote(flag))"
    }
    return "\(group.rawValue):\n" + lines.joined(separator: "\n")
  }

  /// The width of the first column.
  private static let width = 26

  /// Returns the default value in square brackets, or an empty text if there is none.
  private static func defaultNote(_ flag: Flag) -> String {
    guard flag.value != nil, let value = flag.format(defaults), value != "0" else { return "" }
    return " [default: \(value)]"
  }

  private static let defaults = Options()
}
