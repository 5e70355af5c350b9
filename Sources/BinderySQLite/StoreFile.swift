package import BinderyCore
package import BinderyDigest
import BinderyJournal

/// A store in a file, with the settings that a server needs before it starts.
package struct StoreFile {
  package let storage: SQLiteStorage
  /// The key of the ETag digests. It is created once and stored, so that ETags survive restarts.
  package let key: DigestKey

  /// Opens a store; creates it if the file does not exist.
  ///
  /// - Parameter secret: The key of a new store; nil for a new key.
  /// - Throws: ``StoreError``; `inUse` if another server uses the store.
  package init(_ path: String, secret: [UInt8]? = nil) throws(StoreError) {
    storage = try SQLiteStorage(path)
    do throws(StorageFailure) {
      if let secret = try storage.setting(.secret), secret.count >= DigestKey.minimumSecretLength {
        key = DigestKey(secret: secret)
      } else {
        key = secret.map(DigestKey.init(secret:)) ?? .random()
        try storage.set(.secret, to: key.secret)
      }
    } catch { throw StoreError(error) }
  }

  /// Returns the id of the history that the revisions belong to. A new store gets one.
  package func history() throws(StoreError) -> HistoryID {
    do throws(StorageFailure) {
      if let stored = try storage.setting(.history), let id = HistoryID(String(decoding: stored, as: UTF8.self)) {
        return id
      }
    } catch { throw StoreError(error) }
    return try beginHistory()
  }

  /// Begins another history, because the state is replaced in another way than by commits.
  @discardableResult
  package func beginHistory() throws(StoreError) -> HistoryID {
    let id = HistoryID.random()
    do throws(StorageFailure) { try storage.set(.history, to: Array(id.text.utf8)) } catch { throw StoreError(error) }
    return id
  }

  /// Returns the bytes that identify the sessions that were ended before they expired.
  package func endedSessions() throws(StoreError) -> [[UInt8]] {
    do throws(StorageFailure) { return try storage.endedSessions() } catch { throw StoreError(error) }
  }

  /// Returns the stored values of options of the program.
  package func options(_ names: [String]) throws(StoreError) -> [String: String] {
    var values: [String: String] = [:]
    do throws(StorageFailure) {
      for name in names { values[name] = try storage.option(name) }
    } catch { throw StoreError(error) }
    return values
  }

  /// Stores the values of options, where they differ from the stored ones.
  package func store(options: [String: String]) throws(StoreError) {
    let stored = try self.options(Array(options.keys))
    do throws(StorageFailure) {
      for (name, value) in options where stored[name] != value { try storage.set(option: name, to: value) }
    } catch { throw StoreError(error) }
  }
}
