/// The constants of a program that the command line depends on.
package struct Program: Sendable {
  package let name: String
  package let summary: String
  package let version: String
  let options: [CommandOption]
  let stores: [any StoreOperations]
  let servesModelFiles: Bool
  /// The names of the options of the program's own model, if the program serves the model of a file instead.
  var unusedOptions: [String] = []

  /// The prefix of the environment variables: `BINDERY_` for `bindery`.
  var variablePrefix: String {
    let letters = name.uppercased().unicodeScalars.map { $0.isASCII && $0.properties.isAlphabetic || ("0"..."9") ~= $0 }
    return String(zip(name.uppercased(), letters).map { $1 ? $0 : "_" }) + "_"
  }

  /// Returns the environment variable of an option.
  func variable(of option: String) -> String {
    variablePrefix + String(option.dropFirst(2)).uppercased().replacing("-", with: "_")
  }

  var defaultStore: String { stores.first?.defaultLocation(for: name) ?? "memory" }

  /// Returns the store at a location.
  func driver(at location: String) throws(UsageError) -> any StoreOperations {
    for driver in stores {
      if let store = driver.located(at: location) { return store }
    }
    guard let end = location.firstRange(of: "://") else {
      throw UsageError("expected \(usage) for --store, got “\(location)”")
    }
    let scheme = location[..<end.lowerBound]
    guard scheme == "postgres" || scheme == "postgresql" else {
      throw UsageError("--store \(scheme)://… is not supported; expected \(usage)")
    }
    throw UsageError(
      "--store \(scheme)://… needs the product BinderyPostgreSQL: add it to the program, and .postgres to its stores")
  }

  private var usage: String {
    let usage = stores.map(\.usage).joined(separator: ", or ")
    return usage.prefix(1).lowercased() + usage.dropFirst()
  }
}
