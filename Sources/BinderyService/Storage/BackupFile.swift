import BinderySQLite
import BinderySystem

/// The new file of a backup.
package enum BackupFile {
  /// Writes a file under a temporary name, verifies it, and renames it, so that no incomplete or damaged copy ever has
  /// the final name.
  ///
  /// - Parameters:
  ///   - store: The store that is copied, for error messages.
  ///   - write: Writes the copy to a new file at the temporary path.
  /// - Throws: ``StoreDriverError``; no file is left.
  package static func create(
    _ path: String, of store: String, _ write: (_ partial: String) throws(StoreDriverError) -> Void
  ) throws(StoreDriverError) {
    // A link without a target exists, too.
    guard FileStatus(withoutFollowing: path) == nil else {
      throw StoreDriverError(.cannotCreate, "\(path) already exists: name a new file, or remove this one")
    }
    let partial = path + ".partial"
    SQLiteStorage.removeFiles(of: partial)
    do throws(StoreDriverError) {
      try write(partial)
      do throws(StoreError) { try SQLiteStorage.verify(partial) } catch .damaged(let reason) {
        throw StoreDriverError(
          .unreadable, "\(store) was not copied, because it is damaged (\(reason)); restore an earlier backup")
      } catch { throw StoreDriverError(error, path) }
      do throws(Errno) { try File.replace(path, with: partial) } catch {
        throw StoreDriverError(.cannotCreate, "cannot create \(path): \(error)")
      }
    } catch {
      SQLiteStorage.removeFiles(of: partial)
      throw error
    }
  }
}
