import BinderyCore
import BinderyJournal
import BinderySystem

/// A reason why a file cannot be opened as a store.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another server uses the store.
  case inUse
  /// The file does not exist.
  case missing
  /// The directory of the file does not exist.
  case missingDirectory(String)
  /// SQLite cannot create files in the directory, for the reason.
  case readOnlyDirectory(String, String)
  /// The file, which SQLite created beside the store, cannot be written, for the reason.
  case readOnlyFile(String, String)
  /// The file is not a store.
  case notAStore
  /// The file is empty, or has the tables of a store and no state.
  case noState
  /// The store has the format of another version of this program.
  case otherFormat(Int)
  /// The store has other tables, because an unreleased version of this program wrote it.
  case otherTables
  case damaged(String)
  case unusable(String)
  /// This process may not read or write the file, which belongs to the user with the first id. It runs as the second.
  case accessDenied(owner: UInt32, user: UInt32)
  /// The store could not be copied to a new file.
  case cannotCopy(String)
  /// The WAL file next to the database belongs to another version of the database.
  case foreignWAL
  /// There is a WAL file, and its database is missing or empty.
  case missingDatabase
  /// The file has more than one name.
  case hardLinks(Int)
  case networkFileSystem(String)
  /// The path is one that SQLite does not take for a file: `:memory:`, or a URI.
  case notAFile

  init(_ error: SQLiteError) {
    self = error.isDamage ? .damaged(error.description) : .unusable(error.description)
  }

  /// Creates the error of a system call on the file at a path.
  init(_ error: Errno, at path: String) {
    if error == .accessDenied, let status = FileStatus(path), status.userID != Process.userID {
      self = .accessDenied(owner: status.userID, user: Process.userID)
    } else {
      self = .unusable("\(error)")
    }
  }

  init(_ failure: StorageFailure) {
    self = if case .damaged(let detail) = failure { .damaged(detail) } else { .unusable(failure.failure.reason) }
  }

  package var description: String {
    switch self {
    case .inUse: "another server uses the store: stop it first"
    case .missing: "the file does not exist: check its name and the working directory"
    case .missingDirectory(let directory): "the directory \(directory) does not exist"
    case .readOnlyDirectory(let directory, let reason):
      "the directory \(directory) must be writable, because the files of a store are created in it: \(reason)"
    case .readOnlyFile(let file, let reason):
      "\(file), a file of the store, must be writable: \(reason); a program that could only read the store left it"
    case .notAStore: "the file is not a Bindery store"
    case .noState: "the store contains no state; if it had one, its -wal file is missing: put it back"
    case .otherFormat(let version):
      "the store has format \(version), but this version of Bindery reads only format \(Schema.version); export the "
        + "state with the version that wrote the store, and import it with this version"
    case .otherTables:
      "the store was written by an unreleased version of Bindery; export the state with that version, and import it "
        + "with this one"
    case .damaged(let reason):
      "the file is damaged, or is not a Bindery store (\(reason)): restore a copy that bindery backup wrote"
    case .unusable(let reason): "the store cannot be opened: \(reason)"
    case .accessDenied(let owner, let user):
      "the file belongs to the user with the id \(owner), and this program runs as the user with the id \(user), which "
        + "may not use it: run the program as its owner, or change the owner with chown"
    case .cannotCopy(let reason): reason
    case .foreignWAL:
      "the -wal file next to it belongs to another version of this file, as after copying a backup over a store: to "
        + "use the file as it is, move the -wal file away; to restore a backup, use bindery restore"
    case .missingDatabase:
      "the file is missing or empty, and the -wal file next to it contains commits: put the file back; to begin a new "
        + "store, move the -wal file away"
    case .hardLinks(let count):
      "the file has \(count) names (hard links), and a store must have one: remove the others, or use bindery backup "
        + "to copy a store"
    case .networkFileSystem(let name):
      "the file is on \(name), and a store must be on a local file system: locks do not work reliably on a network "
        + "file system"
    case .notAFile: "expected the path of a file, or the word memory to store nothing on disk"
    }
  }
}
