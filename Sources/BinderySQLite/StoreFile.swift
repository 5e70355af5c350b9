package import BinderyDigest
import BinderyJournal

/// A store of a model in a file: what is opened before a server begins.
package struct StoreFile {
  package let log: SQLiteStorage
  /// The key of the digests, made once: entity tags outlive the server.
  package let key: DigestKey

  /// Opens a file, and makes one where there is none.
  ///
  /// - Throws: ``StoreError``; `owned` where another server has it.
  package init(_ path: String) throws(StoreError) {
    log = try SQLiteStorage(path)
    do throws(StorageFailure) {
      if let secret = try log.setting(.secret), secret.count >= DigestKey.minimumSecretLength {
        key = DigestKey(secret: secret)
      } else {
        key = .random()
        try log.set(.secret, to: key.secret)
      }
    } catch { throw StoreError(error) }
  }

  /// The time zone that the store is kept in; nil in a new one.
  package var timeZone: String? {
    get throws(StoreError) {
      do throws(StorageFailure) {
        return try log.setting(.timeZone).flatMap { String(validating: $0, as: UTF8.self) }
      } catch { throw StoreError(error) }
    }
  }

  package func keep(timeZone: String) throws(StoreError) {
    guard try timeZone != self.timeZone else { return }
    do throws(StorageFailure) {
      try log.set(.timeZone, to: Array(timeZone.utf8))
    } catch { throw StoreError(error) }
  }
}
