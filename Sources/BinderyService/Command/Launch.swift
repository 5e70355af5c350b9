import BinderySystem
public import FoundationEssentials

/// The options and the environment with which a program was started.
public struct Launch: Sendable {
  /// The environment variables.
  public let environment: [String: String]
  /// The effective values of the program's own options, by name.
  let values: [String: String]
  /// The values to store.
  let stored: [String: String]
  /// The clock of the store, in milliseconds since 1970.
  private let clock: @Sendable () -> Int64

  /// The value of one of the program's own options, such as `--time-zone`; nil if it has none.
  public subscript(option: String) -> String? { values[option] }

  /// The current time. Servers that share a store in PostgreSQL use the clock of the database, so that they agree
  /// whatever the clocks of their machines show.
  public var now: Date { Date(timeIntervalSince1970: Double(clock()) / 1_000) }

  /// Returns whether a switch of the program is on.
  public func isOn(_ option: String) -> Bool { values[option] == "true" }

  /// Determines the effective values: those of the command line and the environment, else the stored ones, else the
  /// defaults.
  ///
  /// - Throws: ``CommandError`` for a value that a check refuses. The value may be a stored one, so all values are part
  ///   of the configuration, as the documentation of ``CommandOption`` says.
  init(
    _ options: Options, environment: [String: String], stored: [String: String],
    clock: @escaping @Sendable () -> Int64 = { Clock.wallMilliseconds }
  ) throws {
    var values: [String: String] = [:]
    var toStore: [String: String] = [:]
    for option in options.program.options {
      let previous = option.isStored ? stored[option.storedName] : nil
      guard let value = options[option: option.name] ?? previous ?? option.defaultValue(environment) else { continue }
      do { try option.check(value) } catch {
        let origin =
          options.givenNames[option.name]
          ?? (previous == nil ? "the default of \(option.name)" : "the stored value of \(option.name)")
        throw CommandError(.configuration, "\(origin): \(error)")
      }
      values[option.name] = value
      if option.isStored { toStore[option.storedName] = value }
    }
    (self.environment, self.values, self.stored, self.clock) = (environment, values, toStore, clock)
  }
}
