package import BinderyDigest
import BinderyJournal

/// A store in a file, with the settings that a server needs before it starts.
package struct StoreFile {
  package let storage: SQLiteStorage
  /// The key of the ETag digests. It is created once and stored, so that ETags survive restarts.
  package let key: DigestKey

  /// Opens a store; creates it if the file does not exist.
  ///
  /// - Throws: ``StoreError``; `inUse` if another server uses the store.
  package init(_ path: String) throws(StoreError) {
    storage = try SQLiteStorage(path)
    do throws(StorageFailure) {
      if let secret = try storage.setting(.secret), secret.count >= DigestKey.minimumSecretLength {
        key = DigestKey(secret: secret)
      } else {
        key = .random()
        try storage.set(.secret, to: key.secret)
      }
    } catch { throw StoreError(error) }
  }

  /// The time zone of the store; nil in a new store.
  package var timeZone: String? {
    get throws(StoreError) {
      do throws(StorageFailure) {
        return try storage.setting(.timeZone).flatMap { String(validating: $0, as: UTF8.self) }
      } catch { throw StoreError(error) }
    }
  }

  /// Stores the time zone, if it differs from the stored one.
  package func store(timeZone: String) throws(StoreError) {
    guard try timeZone != self.timeZone else { return }
    do throws(StorageFailure) {
      try storage.set(.timeZone, to: Array(timeZone.utf8))
    } catch { throw StoreError(error) }
  }
}
