/// What `bindery --help` prints.
package enum Help {
  package static var text: String {
    """
    bindery: editable state over HTTP; every place a URL, every URL a binding

    usage: bindery serve [options]     serve the menu until SIGTERM
           bindery health [options]    ask the server at --listen whether it is ready
           bindery export              print the state of --store as JSON
           bindery import [FILE]       make the JSON of a file, or of the input, the state of --store
           bindery backup FILE         copy --store, which a server may have, to a new file
           bindery openapi             print the OpenAPI document
           bindery version

    Each option is also a variable: --time-zone is BINDERY_TIME_ZONE, and the command line wins. Lists have commas, or
    the option is given again. A time is 30s, 500ms, 2m, 12h or 7d; without a unit it is in seconds.

    \(Flag.Group.allCases.map(section).joined(separator: "\n\n"))
    """
  }

  private static func section(_ group: Flag.Group) -> String {
    let lines = Options.flags.filter { $0.group == group }.map { flag in
      let name = flag.name + (flag.value.map { " " + $0 } ?? "")
      let padding = String(repeating: " ", count: max(1, width - name.count))
      return "  \(name)\(padding)\(flag.help)\(note(flag))"
    }
    return "\(group.rawValue):\n" + lines.joined(separator: "\n")
  }

  private static let width = 26

  /// What holds where nothing is said.
  private static func note(_ flag: Flag) -> String {
    guard flag.value != nil, let value = flag.show(defaults), value != "0" else { return "" }
    return " [\(value)]"
  }

  private static let defaults = Options()
}
