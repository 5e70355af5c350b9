import BinderyCore
import BinderySystem
import FoundationEssentials

/// The commands for stores. `export` and `backup` work while a server uses the store; `import` and `restore` do not.
extension Command {
  /// Prints the stored state as canonical JSON, including hidden members.
  func export(_ options: Options) throws(CommandError) {
    let state: [UInt8]?
    do { state = try options.driver.export(model) } catch { throw CommandError(error) }
    guard let state else { throw CommandError(.dataError, "\(options.store) contains no state yet") }
    try write(String(decoding: state, as: UTF8.self) + "\n")
  }

  /// Writes a text to standard output.
  func write(_ text: String) throws(CommandError) {
    do throws(Errno) { try StandardOutput.write(text) } catch {
      throw CommandError(.ioError, "the output is incomplete: cannot write to standard output: \(error)")
    }
  }

  /// Replaces the state of a store with JSON in the format of `export`.
  ///
  /// Creates the store if it does not exist. Otherwise the import is one new revision.
  func `import`(_ options: Options) throws(CommandError) {
    let imported = try readState(from: options.operands.first)
    let revision: Int
    do { revision = try options.driver.replaceState(imported, of: model) } catch { throw CommandError(error) }
    StandardError.print("\(options.program.name): \(options.store) is at revision \(revision)")
  }

  /// Reads and validates a state.
  ///
  /// - Parameter file: The path of the file, or nil for standard input.
  private func readState(from file: String?) throws(CommandError) -> State {
    let path = file ?? "standard input"
    let content: [UInt8]?
    if let file {
      content = (try? Data(contentsOf: URL(filePath: file))).map(Array.init)
    } else {
      content = try? StandardInput.readAll()
    }
    guard let content else { throw CommandError(.noInput, "cannot read \(path)") }
    do throws(RestoreError) {
      let root = try model.shape.restore(content, isExact: true)
      var settled = root
      do throws(ValidationError) { try model.shape.check(root) } catch {
        throw RestoreError(error.detail, at: error.pointer)
      }
      do throws(InvalidState) {
        _ = try model.settle(&settled, from: root)
      } catch { throw RestoreError(error.message, at: error.pointer) }
      // An exported state is settled. An unrequested repair could hide a mistake in the file.
      if !model.shape.areSame(root, settled) {
        let repair = Revision(number: 0, at: 0, from: root, to: settled, model.shape)
        let patch = String(decoding: repair.shown?.patch ?? repair.patch, as: UTF8.self)
        throw RestoreError("the model would change this state: make the change in the file first: \(patch)", at: "")
      }
      return root
    } catch { throw CommandError(.dataError, "\(path): \(error)") }
  }

  /// Copies a store to a new file, even while a server uses it.
  func backup(_ options: Options) throws(CommandError) {
    do { try options.driver.backUp(to: options.operands[0]) } catch { throw CommandError(error) }
  }

  /// Replaces a store by a copy that `backup` made.
  func restore(_ options: Options) throws(CommandError) {
    let revision: Int
    do {
      revision = try options.driver.restore(model, from: options.operands[0])
    } catch { throw CommandError(error) }
    StandardError.print("\(options.program.name): \(options.store) is at revision \(revision)")
  }
}

extension Options {
  /// The store at `--store`.
  var driver: any StoreOperations {
    get throws(CommandError) {
      do throws(UsageError) { return try program.driver(at: store) } catch { throw CommandError(.usage, error.message) }
    }
  }
}
