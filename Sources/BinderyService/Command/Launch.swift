/// The options and the environment with which a program was started.
public struct Launch: Sendable {
  /// The environment variables.
  public let environment: [String: String]
  /// The effective values of the program's own options, by name.
  let values: [String: String]
  /// The values to store.
  let stored: [String: String]

  /// The value of one of the program's own options, such as `--time-zone`; nil if it has none.
  public subscript(option: String) -> String? { values[option] }

  /// Returns whether a switch of the program is on.
  public func isOn(_ option: String) -> Bool { values[option] == "true" }

  /// Determines the effective values: those of the command line and the environment, else the stored ones, else the
  /// defaults.
  ///
  /// - Throws: The error of a check.
  init(_ options: Options, environment: [String: String], stored: [String: String]) throws {
    var values: [String: String] = [:]
    var toStore: [String: String] = [:]
    for option in options.program.options {
      let previous = option.isStored ? stored[option.storedName] : nil
      guard let value = options[option: option.name] ?? previous ?? option.defaultValue(environment) else { continue }
      try option.check(value)
      values[option.name] = value
      if option.isStored { toStore[option.storedName] = value }
    }
    (self.environment, self.values, self.stored) = (environment, values, toStore)
  }
}

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
  ///   - name: The name with its dashes, such as `--time-zone`.
  ///   - placeholder: The name of the value in the help, such as `ZONE`.
  ///   - help: A sentence for the help.
  ///   - section: The section of the help.
  ///   - isStored: Whether the store keeps the value, so that later starts need not name it.
  ///   - check: Throws an error for an invalid value. Its description is printed, and the exit code is 78.
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
