import BinderyCore

extension CommandProgram<DynamicValue> {
  /// Creates the program that serves the model of a file.
  ///
  /// - Parameter program: The program with the options `--model` and `--from`. Its other own options belong to its own
  ///   model.
  init(_ source: ModelSource, _ program: Program) {
    self.init(
      program: Program(
        name: program.name, summary: program.summary, version: program.version, options: [], stores: program.stores,
        servesModelFiles: true, unusedOptions: program.options.map(\.name)),
      title: source.model.declaration.root.notes.title ?? program.name, model: source.model.definition,
      makeInitial: { _ in try source.makeInitial() }, configure: { _, _ in }, background: { _, _ in }, source: source)
  }
}

extension Options {
  /// Returns the options of a command that needs the model of a file; nil if it needs none, or if the options are not
  /// valid.
  static func modelFile(
    _ arguments: [String], _ environment: [String: String], _ program: Program
  ) -> Options? {
    // `health` is run every few seconds, and these commands do not need a model.
    guard program.servesModelFiles, let command = arguments.first,
      !["health", "help", "version"].contains(command)
    else { return nil }
    let arguments = arguments.dropFirst().filter { !Help.typesForms.contains($0) }
    guard let options = try? Options(arguments: arguments, environment: environment, program),
      options.model != nil || options.from != nil
    else { return nil }
    return options
  }
}
