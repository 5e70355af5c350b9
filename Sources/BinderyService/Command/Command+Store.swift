import BinderyCore
import BinderySystem

/// The commands for stores. `export` and `backup` work while a server uses the store; `import` and `restore` do not.
extension Command {
  /// Prints the stored state as canonical JSON, including hidden members.
  func export(_ options: Options) throws(CommandError) {
    let state: [UInt8]?
    do {
      state = try options.driver.export(model) { StandardError.print("\(name): not exported: \($0)") }
    } catch { throw CommandError(error) }
    guard let state else {
      let advice = "To copy the store of a running server, use the command backup."
      throw CommandError(.dataError, "\(options.store) contains no state yet. \(advice)")
    }
    try write(String(decoding: state, as: UTF8.self) + "\n")
  }

  /// Writes a text to standard output.
  func write(_ text: String) throws(CommandError) {
    do throws(Errno) { try StandardOutput.write(text) } catch {
      throw CommandError(.ioError, "the output is incomplete: cannot write to standard output: \(error)")
    }
  }

  /// Replaces the state of a store with JSON in the format of `export`, or as a client reads it at `/state`.
  ///
  /// Creates the store if it does not exist. Otherwise the import is one new revision.
  func `import`(_ options: Options) throws(CommandError) {
    let (path, content) = try read(options.operands.first)
    if content.starts(with: "SQLite format 3".utf8) {
      throw CommandError(
        .dataError, "\(path) is a database, not JSON: use \(options.program.name) restore \(path) if it is a backup")
    }
    let revision: Int
    var isDifferent = true
    do {
      revision = try options.driver.replaceState(of: model) { previous in
        let new = try model.importing(content, replacing: previous)
        isDifferent = previous.map { !model.shape.areSame($0, new) } ?? true
        return new
      }
    } catch let error as ImportError {
      throw CommandError(.dataError, "nothing was imported from \(path):\n\(error)")
    } catch { throw CommandError(error) }
    let result = isDifferent ? "is" : "has the same state, and is still"
    StandardError.print("\(options.program.name): imported \(path); \(options.store) \(result) at revision \(revision)")
  }

  /// Returns a file for error messages, and its content.
  ///
  /// - Parameter file: The path of the file, or nil for standard input.
  private func read(_ file: String?) throws(CommandError) -> (path: String, content: [UInt8]) {
    let path = file ?? "standard input"
    do throws(Errno) {
      guard let file else { return (path, try StandardInput.readAll(atMost: DataFile.maximumBytes)) }
      return (path, try File.bytes(of: file, atMost: DataFile.maximumBytes))
    } catch .fileTooLarge {
      throw CommandError(.dataError, "\(path): a data file has at most \(DataFile.maximumBytes) bytes")
    } catch {
      throw CommandError(.noInput, "cannot read \(path): \(error)")
    }
  }

  /// Copies a store to a new file, even while a server uses it.
  func backup(_ options: Options) throws(CommandError) {
    if options.operands[0] == "-" {
      throw CommandError(.usage, "a backup cannot be written to standard output: name a new file")
    }
    do { try options.driver.backUp(to: options.operands[0]) } catch { throw CommandError(error) }
  }

  /// Replaces a store by a copy that `backup` made.
  func restore(_ options: Options) throws(CommandError) {
    let revision: Int
    do {
      revision = try options.driver.restore(model, from: options.operands[0])
    } catch { throw CommandError(error) }
    StandardError.print(
      "\(options.program.name): restored from \(options.operands[0]); \(options.store) is at revision \(revision)")
  }
}
