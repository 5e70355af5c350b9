/// An option of a program, with an environment variable and a line in the help.
public struct CommandOption: Sendable {
  let name: String
  let placeholder: String?
  let help: String
  let section: String
  let isStored: Bool
  let defaultValue: @Sendable (_ environment: [String: String]) -> String?
  let check: @Sendable (String) throws -> Void

  /// The name without dashes.
  var storedName: String { String(name.dropFirst(2)) }

  /// Creates an option with a value.
  ///
  /// - Parameters:
  ///   - name: The name with its dashes, such as `--time-zone`. If the service or the program has another option with
  ///     this name or its variable, all commands end with an error.
  ///   - placeholder: The name of the value in the help, such as `ZONE`.
  ///   - help: A sentence for the help.
  ///   - section: The section of the help.
  ///   - isStored: Whether the store keeps the value, so that later starts need not name it.
  ///   - check: Throws an error for an invalid value. Its description is printed after the name of the option or of its
  ///     variable, and the exit code is 78, also for a value on the command line.
  ///   - defaultValue: Returns the value if none is given or stored.
  public static func value(
    _ name: String, _ placeholder: String, _ help: String, section: String = "Program", isStored: Bool = false,
    check: @escaping @Sendable (String) throws -> Void = { _ in },
    default defaultValue: @escaping @Sendable (_ environment: [String: String]) -> String? = { _ in nil }
  ) -> CommandOption {
    CommandOption(
      name: name, placeholder: placeholder, help: help, section: section, isStored: isStored,
      defaultValue: defaultValue, check: check)
  }

  /// Creates a switch: an option without a value.
  public static func toggle(_ name: String, _ help: String, section: String = "Program") -> CommandOption {
    CommandOption(
      name: name, placeholder: nil, help: help, section: section, isStored: false, defaultValue: { _ in nil },
      check: { _ in })
  }
}
