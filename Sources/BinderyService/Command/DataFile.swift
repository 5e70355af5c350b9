import BinderyCore
import BinderyCryptography
import BinderyJSON
import BinderyModelFile
import BinderySystem
import BinderyText
import Synchronization

/// The data file of `--from`. It is read once, when its content is needed first.
final class DataFile: Sendable {
  /// The maximum size of a data file, in bytes.
  static let maximumBytes = 1 << 30

  let path: String
  private let content = Mutex<[UInt8]?>(nil)

  init(_ path: String) { self.path = path }

  /// Returns the content of the file.
  ///
  /// - Throws: ``CommandError`` if there is no such file, or if it is too large.
  private func bytes() throws(CommandError) -> [UInt8] {
    if let known = content.withLock({ $0 }) { return known }
    let read = try read()
    content.withLock { $0 = read }
    return read
  }

  private func read() throws(CommandError) -> [UInt8] {
    if let status = FileStatus(path) {
      guard status.isRegular else { throw CommandError(.noInput, "\(path): expected a regular file") }
      guard status.size <= Self.maximumBytes else {
        throw CommandError(
          .dataError, "\(path): a data file has at most \(Self.maximumBytes) bytes, got \(status.size)")
      }
    }
    do throws(Errno) { return try File.bytes(of: path, atMost: Self.maximumBytes) } catch {
      let reason =
        error == .noSuchFile
        ? "does not exist: expected a JSON file with the data to serve" : "cannot be read: \(error)"
      throw CommandError(.noInput, "\(path): the file \(reason)")
    }
  }

  /// Gives up the content. It is read again when it is needed again.
  func release() { content.withLock { $0 = nil } }

  /// The SHA-256 of the content, in hexadecimal.
  var digest: String {
    get throws(CommandError) { SHA256.digest(try bytes()).hexadecimal }
  }

  /// Returns the data.
  ///
  /// - Throws: ``CommandError`` if the file is not JSON.
  func data() throws(CommandError) -> JSONNode {
    let bytes = try bytes()
    do throws(JSONSyntaxError) { return try JSONDocument(parsing: bytes).root } catch {
      let (line, column) = error.position(in: bytes)
      throw CommandError(
        .dataError, "\(path): line \(line), column \(column): \(error.reason): expected a JSON file")
    }
  }

  /// Returns the data as the state of a model.
  ///
  /// - Parameters:
  ///   - isInferred: Whether the model was inferred from the data now, so that only the data can be corrected.
  ///   - isReseed: Whether the data replaces the state of a store, which the model must fit, too.
  /// - Throws: ``CommandError`` with a pointer into the data, if it does not fit.
  func state(
    of model: DynamicModel, named modelFile: String, isInferred: Bool, isReseed: Bool
  ) throws(CommandError) -> DynamicValue {
    let data = try data()
    do throws(ModelMistakes) { return try model.initialState(data) } catch {
      let mistakes = ModelFileError(path: path, mistakes: error)
      if isInferred { throw CommandError(.dataError, "\(mistakes): no model can describe this data: correct it") }
      let advice =
        isReseed
        ? "correct the data, or add new members to the model file, each with a “default”; to start over without the "
          + "history, remove the store and the model file"
        : "correct one of them, or delete the model file to infer it again"
      throw CommandError(.dataError, "\(mistakes): the data does not fit \(modelFile): \(advice)")
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
