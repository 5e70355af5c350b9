import BinderyCore
import BinderyModelFile
import BinderySystem
import BinderyTelemetry

/// The files that a model and its first state come from: a model file, a data file, or both.
struct ModelSource: Sendable {
  let model: DynamicModel
  /// The path of the model file.
  let modelFile: String
  /// The data file of `--from`; nil without one.
  let data: DataFile?
  /// Whether the data file replaces the state of an existing store.
  private let reseeds: Bool
  /// The model that was inferred from the data file; nil if there is a model file.
  private let inferred: InferredModel?

  /// Whether the option `--open` has no effect, because there is a model file.
  private let isOpenIgnored: Bool

  /// Reads the model file, or infers its model from the data file if it does not exist.
  init(_ options: Options) throws(CommandError) {
    data = options.from.map(DataFile.init)
    reseeds = options.reseeds
    modelFile = options.model ?? Self.modelFile(beside: options.from ?? "")
    if let data, options.model == nil, FileStatus(withoutFollowing: modelFile) == nil {
      let inferred = try Self.infer(data, isOpen: options.isOpen)
      self.inferred = inferred
      model = try Self.model(inferred, at: data.path)
    } else {
      inferred = nil
      model = try Self.model(at: modelFile)
    }
    // A model that --open has written before is open.
    if case .structure(let root) = model.declaration.root.kind {
      isOpenIgnored = options.isOpen && !root.isOpen
    } else {
      isOpenIgnored = false
    }
  }

  private var openIsIgnored: String {
    "the option --open has no effect, because \(modelFile) exists: delete it to infer the model again, or add "
      + "“additionalProperties”: true to its objects"
  }

  private static func infer(_ data: DataFile, isOpen: Bool) throws(CommandError) -> InferredModel {
    let root = try data.data()
    do throws(ModelMistakes) { return try InferredModel(from: root, isOpen: isOpen) } catch {
      throw CommandError(.dataError, ModelFileError(path: data.path, mistakes: error).description)
    }
  }

  private static func model(_ inferred: InferredModel, at path: String) throws(CommandError) -> DynamicModel {
    do throws(ModelMistakes) { return try DynamicModel(inferred.declaration) } catch {
      throw CommandError(
        .configuration,
        "\(ModelFileError(path: path, mistakes: error)): write a model file in which “additionalProperties” describes "
          + "large objects, and pass it with --model")
    }
  }

  private static func model(at path: String) throws(CommandError) -> DynamicModel {
    do throws(ModelMistakes) {
      let model = try ModelFile.model(try read(path))
      // A declared state must fit also if the store has one already.
      if model.declaration.initial != nil { _ = try model.initialState() }
      return model
    } catch {
      throw CommandError(.configuration, ModelFileError(path: path, mistakes: error).description)
    }
  }

  private static func read(_ path: String) throws(ModelMistakes) -> [UInt8] {
    guard FileStatus(path)?.isDirectory != true else {
      throw ModelMistakes([ModelMistake("expected a file, got a directory", at: "")])
    }
    do throws(Errno) { return try File.bytes(of: path, atMost: ModelFile.maximumBytes) } catch {
      let reason =
        switch error {
        case .noSuchFile: "the file does not exist"
        case .fileTooLarge: "a model file has at most \(ModelFile.maximumBytes) bytes"
        default: "the file cannot be read: \(error)"
        }
      throw ModelMistakes([ModelMistake(reason, at: "")])
    }
  }

  /// Returns the state of a new store.
  func makeInitial() throws -> DynamicValue {
    if let data {
      do throws(CommandError) {
        return try data.state(of: model, named: modelFile, isInferred: inferred != nil, isReseed: reseeds)
      } catch {
        // A model that does not fit the data that it was inferred from is of no use.
        let isUseless = inferred != nil && error.code == .dataError
        if isUseless, (try? File.bytes(of: modelFile)) == text { File.remove(modelFile) }
        throw error
      }
    }
    do throws(ModelMistakes) { return try model.initialState() } catch {
      throw ModelFileError(path: modelFile, mistakes: error)
    }
  }

  /// The model as the text of a model file.
  private var text: [UInt8] { ModelFile.text(of: model.declaration) }

  /// Writes the model file if its model was inferred.
  func write() throws(CommandError) {
    guard inferred != nil else { return }
    let text = text
    guard text.count <= ModelFile.maximumBytes else {
      throw CommandError(
        .configuration,
        "\(modelFile): the inferred model has \(text.count) bytes, but a model file has at most "
          + "\(ModelFile.maximumBytes): write a model file by hand and pass it with --model")
    }
    do throws(Errno) { try File.write(text, to: modelFile) } catch { throw cannotWrite(error) }
  }

  /// Throws the error that ``write()`` would throw if the folder of the model file is not writable.
  func checkCanWrite() throws(CommandError) {
    guard inferred != nil else { return }
    do throws(Errno) { try File.checkIsWritable(File.directory(of: modelFile)) } catch { throw cannotWrite(error) }
  }

  private func cannotWrite(_ error: Errno) -> CommandError {
    CommandError(
      .cannotCreate,
      "cannot write \(modelFile), the model inferred from the data: \(error): make its folder writable, or pass a "
        + "model file with --model")
  }

  /// Returns the results and the doubtful guesses of the inference, for the log.
  ///
  /// - Parameter isWritten: Whether the model file was written.
  func report(isWritten: Bool) -> [(level: LogLevel, message: String)] {
    guard let inferred, let data else { return isOpenIgnored ? [(.warning, openIsIgnored)] : [] }
    let advice =
      isWritten
      ? "edit \(modelFile) to change it, or delete it to infer it again"
      : "a start of the server writes it to \(modelFile)"
    let summary = "inferred a model from \(data.path); \(advice)"
    return [(.info, summary)] + inferred.findings.map { (.info, "inferred \($0)") }
      + inferred.doubts.map { (.warning, "unsure about \($0)") }
  }

  /// Returns the location of the model file beside a data file: `db.model.json` for `db.json`.
  static func modelFile(beside data: String) -> String { Options.base(of: data) + ".model.json" }
}
