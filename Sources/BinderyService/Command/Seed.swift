/// The data file that the first state of a store came from, which the store remembers by its digest.
struct Seed {
  /// The name of the stored option.
  static let option = "seed"

  /// The value to store.
  let stored: [String: String]
  /// A message about a data file that has changed; nil if it has not.
  let warning: String?

  /// Compares a data file with the one that the store remembers.
  ///
  /// - Parameter stored: The stored options.
  init(_ data: DataFile, _ options: Options, stored: [String: String]) throws(CommandError) {
    let digest = try data.digest
    let previous = stored[Self.option]
    let hasChanged = previous.map { $0 != digest } ?? false
    if hasChanged, !options.reseeds {
      self.stored = [:]
      warning =
        "\(data.path) has changed since it was loaded into \(options.store), whose state is kept; pass --reseed to "
        + "replace the state by the file"
    } else {
      self.stored = [Self.option: digest]
      warning = nil
    }
  }
}
