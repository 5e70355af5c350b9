import BinderyCore
import BinderyJournal
import BinderySQLite
import BinderySystem
import FoundationEssentials

/// The commands for stores. `export` and `backup` work while a server uses the store; `import` does not.
extension Command {
  /// Prints the stored state as canonical JSON, including hidden members.
  static func export(_ options: Options) throws(CommandError) {
    let storage: SQLiteStorage
    do throws(StoreError) { storage = try SQLiteStorage(reading: options.store) } catch {
      throw CommandError(error, options.store)
    }
    let recovery: Recovery<Menu>?
    do throws(RecoveryError) { recovery = try Recovery(of: storage) } catch { throw CommandError(error, options.store) }
    guard let recovery else { throw CommandError(.dataError, "\(options.store) contains no state yet") }
    try write(String(decoding: Menu.shape.stored(recovery.root), as: UTF8.self) + "\n")
  }

  /// Writes a text to standard output.
  static func write(_ text: String) throws(CommandError) {
    do throws(Errno) { try StandardOutput.write(text) } catch {
      throw CommandError(.ioError, "the output is incomplete: cannot write to standard output: \(error)")
    }
  }

  /// Replaces the state of a store with JSON in the format of `export`.
  ///
  /// Creates the store if it does not exist. Otherwise the import is one new revision.
  static func `import`(_ options: Options) throws(CommandError) {
    let imported = try readState(from: options.operands.first)
    let file: StoreFile
    do throws(StoreError) { file = try StoreFile(options.store) } catch { throw CommandError(error, options.store) }
    let recovery: Recovery<Menu>
    do throws(RecoveryError) {
      recovery = try Recovery(from: file.storage) { imported }
    } catch { throw CommandError(error, options.store) }
    var revision = recovery.revision
    if !Menu.shape.areSame(recovery.root, imported) {
      revision += 1
      let importRevision = Revision(number: revision, at: Clock.wallMilliseconds, from: recovery.root, to: imported)
      do throws(StorageFailure) { try file.storage.append([importRevision]) } catch {
        throw CommandError(.ioError, "\(options.store): \(error.failure.reason)")
      }
    }
    StandardError.print("bindery: \(options.store) is at revision \(revision)")
  }

  /// Reads and validates a state.
  ///
  /// - Parameter file: The path of the file, or nil for standard input.
  private static func readState(from file: String?) throws(CommandError) -> Menu {
    let path = file ?? "standard input"
    let content: [UInt8]?
    if let file {
      content = (try? Data(contentsOf: URL(filePath: file))).map(Array.init)
    } else {
      content = try? StandardInput.readAll()
    }
    guard let content else { throw CommandError(.noInput, "cannot read \(path)") }
    do throws(RestoreError) {
      let root = try Menu.shape.restore(content, isExact: true)
      var settled = root
      do throws(ValidationError) { try Menu.shape.check(root) } catch {
        throw RestoreError(error.detail, at: error.pointer)
      }
      do throws(InvalidState) {
        try settled.settle(from: root)
      } catch { throw RestoreError(error.message, at: error.pointer) }
      // An exported state is settled. An unrequested repair could hide a mistake in the file.
      if !Menu.shape.areSame(root, settled) {
        let repair = Revision(number: 0, at: 0, from: root, to: settled)
        let patch = String(decoding: repair.shown?.patch ?? repair.patch, as: UTF8.self)
        throw RestoreError("the model would change this state: make the change in the file first: \(patch)", at: "")
      }
      return root
    } catch { throw CommandError(.dataError, "\(path): \(error)") }
  }

  /// Copies a store to a new file, even while a server uses it.
  static func backup(_ options: Options) throws(CommandError) {
    let copy = options.operands[0]
    // Write to a temporary name and rename at the end, so that an incomplete copy never has the final name.
    let partial = copy + ".partial"
    guard !FileManager.default.fileExists(atPath: copy) else {
      throw CommandError(.cannotCreate, "\(copy) already exists")
    }
    try? FileManager.default.removeItem(atPath: partial)
    do throws(StoreError) {
      try SQLiteStorage.copy(options.store, to: partial)
    } catch { throw CommandError(error, options.store) }
    do {
      try FileManager.default.moveItem(atPath: partial, toPath: copy)
    } catch { throw CommandError(.cannotCreate, "cannot create \(copy): \(error)") }
  }
}
