import BinderyCore
import BinderyJournal
import BinderySQLite
import BinderySystem
import FoundationEssentials

/// The commands about a store, which a server may have, but for `import`.
extension Command {
  /// Prints the state as it is kept: canonical JSON of all that is stored, hidden members included.
  static func export(_ options: Options) throws(CommandError) {
    let log: SQLiteStorage
    do throws(StoreError) { log = try SQLiteStorage(reading: options.store) } catch {
      throw CommandError(error, options.store)
    }
    let found: Recovery<Menu>?
    do throws(RecoveryError) { found = try Recovery(of: log) } catch { throw CommandError(error, options.store) }
    guard let found else { throw CommandError(.dataError, "\(options.store) holds no state yet") }
    print(String(decoding: Menu.shape.stored(found.root), as: UTF8.self))
  }

  /// Makes what `export` has printed the state: of a new store, or as one more revision.
  static func `import`(_ options: Options) throws(CommandError) {
    let imported = try state(in: options.operands.first)
    let file: StoreFile
    do throws(StoreError) { file = try StoreFile(options.store) } catch { throw CommandError(error, options.store) }
    let recovery: Recovery<Menu>
    do throws(RecoveryError) {
      recovery = try Recovery(from: file.log) { imported }
    } catch { throw CommandError(error, options.store) }
    var revision = recovery.revision
    if !Menu.shape.areSame(recovery.root, imported) {
      revision += 1
      let one = Revision(number: revision, at: Clock.wallMilliseconds, from: recovery.root, to: imported)
      do throws(StorageFailure) { try file.log.append([one]) } catch {
        throw CommandError(.ioError, "\(options.store): \(error.failure.reason)")
      }
    }
    StandardError.print("bindery: \(options.store) is at revision \(revision)")
  }

  /// - Parameter file: nil for the standard input.
  private static func state(in file: String?) throws(CommandError) -> Menu {
    let path = file ?? "the input"
    let content: [UInt8]?
    if let file {
      content = (try? Data(contentsOf: URL(filePath: file))).map(Array.init)
    } else {
      content = try? StandardInput.readAll()
    }
    guard let content else { throw CommandError(.noInput, "\(path) cannot be read") }
    do throws(RestoreError) {
      let root = try Menu.shape.restore(content, isExact: true)
      var settled = root
      do throws(ValidationError) { try Menu.shape.check(root) } catch {
        throw RestoreError(error.detail, at: error.pointer)
      }
      do throws(InvalidState) {
        try settled.settle(from: root)
      } catch { throw RestoreError(error.message, at: error.pointer) }
      return settled
    } catch { throw CommandError(.dataError, "\(path): \(error)") }
  }

  /// Copies a store to a new file.
  static func backup(_ options: Options) throws(CommandError) {
    let copy = options.operands[0]
    // Whole or not there at all: it gets its name when it is complete.
    let partial = copy + ".partial"
    guard !FileManager.default.fileExists(atPath: copy) else {
      throw CommandError(.cannotCreate, "\(copy) is there already")
    }
    try? FileManager.default.removeItem(atPath: partial)
    do throws(StoreError) {
      try SQLiteStorage.copy(options.store, to: partial)
    } catch { throw CommandError(error, options.store) }
    do {
      try FileManager.default.moveItem(atPath: partial, toPath: copy)
    } catch { throw CommandError(.cannotCreate, "\(copy) cannot be made: \(error)") }
  }
}
