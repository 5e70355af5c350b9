import BinderyCore
import BinderyModelFile
import BinderySystem
import FoundationEssentials

extension CommandProgram<DynamicValue> {
  /// Creates the program that serves the model of a file.
  ///
  /// - Parameters:
  ///   - path: The path of the model file.
  ///   - program: The program with the option `--model`. Its other own options belong to its own model.
  init(modelFile path: String, _ program: Program) throws(CommandError) {
    let model: DynamicModel
    do throws(ModelMistakes) {
      model = try ModelFile.model(try Self.read(path))
      // A declared state must fit also if the store has one already.
      if model.declaration.initial != nil { _ = try model.initialState() }
    } catch { throw CommandError(.configuration, ModelFileError(path: path, mistakes: error).description) }
    self.init(
      program: Program(
        name: program.name, summary: program.summary, version: program.version, options: [], stores: program.stores,
        servesModelFiles: true),
      title: model.declaration.root.notes.title ?? program.name, model: model.definition,
      makeInitial: { _ in
        do throws(ModelMistakes) { return try model.initialState() } catch {
          throw ModelFileError(path: path, mistakes: error)
        }
      },
      configure: { _, _ in }, background: { _, _ in })
  }

  private static func read(_ path: String) throws(ModelMistakes) -> [UInt8] {
    guard let status = FileStatus(path) else {
      throw ModelMistakes([ModelMistake("the file does not exist or cannot be read", at: "")])
    }
    guard !status.isDirectory else { throw ModelMistakes([ModelMistake("expected a file, got a directory", at: "")]) }
    guard status.size <= ModelFile.maximumBytes else {
      throw ModelMistakes([
        ModelMistake("a model file has at most \(ModelFile.maximumBytes) bytes, got \(status.size)", at: "")
      ])
    }
    guard let content = try? Data(contentsOf: URL(filePath: path)) else {
      throw ModelMistakes([ModelMistake("the file cannot be read", at: "")])
    }
    return Array(content)
  }
}

/// The mistakes in a model file, one on each line.
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
  /// Returns the value of `--model`; nil if there is none, or if the options are not valid.
  static func modelFile(
    _ arguments: some Sequence<String>, _ environment: [String: String], _ program: Program
  ) -> String? {
    guard program.servesModelFiles else { return nil }
    let arguments = arguments.filter { $0 != "--json-schema" }
    return try? Options(arguments: arguments, environment: environment, program).model
  }

  /// Returns the location of the store beside a model file: `menu.db` for `menu.model.json`.
  static func store(beside model: String) -> String {
    var base = model
    for ending in [".json", ".model"] where base.hasSuffix(ending) && base.count > ending.count {
      base.removeLast(ending.count)
    }
    return base + ".db"
  }
}
