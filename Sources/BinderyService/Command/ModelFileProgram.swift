import BinderyCore
import BinderyModelFile
import BinderySystem

extension CommandProgram<DynamicValue> {
  /// Creates the program that serves the model of a file.
  ///
  /// - Parameter program: The program with the options `--model` and `--from`. Its other own options belong to its own
  ///   model.
  init(_ source: ModelSource, _ program: Program) {
    self.init(
      program: Program(
        name: program.name, summary: program.summary, version: program.version, options: [], stores: program.stores,
        servesModelFiles: true),
      title: source.model.declaration.root.notes.title ?? program.name, model: source.model.definition,
      makeInitial: { _ in try source.makeInitial() }, configure: { _, _ in }, background: { _, _ in }, source: source)
  }

  static func read(_ path: String) throws(ModelMistakes) -> [UInt8] {
    guard let status = FileStatus(path) else {
      throw ModelMistakes([ModelMistake("the file does not exist or cannot be read", at: "")])
    }
    guard !status.isDirectory else { throw ModelMistakes([ModelMistake("expected a file, got a directory", at: "")]) }
    guard status.size <= ModelFile.maximumBytes else {
      throw ModelMistakes([
        ModelMistake("a model file has at most \(ModelFile.maximumBytes) bytes, got \(status.size)", at: "")
      ])
    }
    do throws(Errno) { return try File.bytes(of: path) } catch {
      throw ModelMistakes([ModelMistake("the file cannot be read: \(error)", at: "")])
    }
  }
}

/// The mistakes in a model file or in its data, one on each line.
struct ModelFileError: Error, CustomStringConvertible {
  let path: String
  let mistakes: ModelMistakes

  var description: String {
    mistakes.list.map { mistake in
      let place = mistake.pointer.isEmpty ? "" : "\(mistake.pointer): "
      return "\(path): \(place)\(mistake.message)"
    }.joined(separator: "\n")
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
    let arguments = arguments.dropFirst().filter { !["--json-schema", "--typescript"].contains($0) }
    guard let options = try? Options(arguments: arguments, environment: environment, program),
      options.model != nil || options.from != nil
    else { return nil }
    return options
  }

  /// Returns the location of the store beside a model file or a data file: `menu.db` for `menu.model.json`.
  static func store(beside file: String) -> String { base(of: file) + ".db" }

  /// Returns the path of a model file or a data file without its ending.
  static func base(of file: String) -> String {
    var base = file
    for ending in [".json", ".model"] where base.hasSuffix(ending) && base.count > ending.count {
      base.removeLast(ending.count)
    }
    return base
  }
}
