import BinderyCore
import BinderyJournal
import BinderyPostgreSQL
import BinderySQLite
import BinderyTestKit
import Testing

/// The implementations of `JournalStorage` that the contract tests cover.
enum StorageKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case sqlite, postgresql

  var testDescription: String { rawValue }

  /// Checks a requirement with a new storage.
  func check(_ contract: some StorageContract) throws {
    switch self {
    case .sqlite:
      let folder = try TemporaryFolder()
      try contract.check(for: StorageOpener { try SQLiteStorage(folder("store.db")) })
    case .postgresql:
      let address = try PostgreSQLAddress(PostgreSQLServer.shared().url)
      let document = PostgreSQLServer.newDocument()
      // Many tests use the database at once, on a machine that may be busy.
      var timeouts = DatabaseTimeouts()
      (timeouts.connection, timeouts.answer, timeouts.lockWait) = (60_000, 60_000, 50_000)
      try contract.check(
        for: StorageOpener { [timeouts] in
          try PostgreSQLStorage(address, document: document, timeouts: timeouts)
        })
    }
  }
}

/// A requirement on every implementation of `JournalStorage`.
protocol StorageContract {
  /// Records an issue where the storage does not meet the requirement.
  func check<Storage: JournalStorage>(for opener: StorageOpener<Storage>) throws
}

/// Opens the same storage repeatedly.
struct StorageOpener<Storage: JournalStorage> {
  let open: () throws -> Storage

  /// Opens the storage, calls `body` with it, and closes it.
  func with<R>(_ body: (Storage) throws -> R) throws -> R {
    let storage = try open()
    defer { storage.close() }
    return try body(storage)
  }
}

extension JournalStorage {
  /// Returns a page of the stored revisions.
  func revisions(after revision: Int?, limit: Int, _ retention: Retention) throws(StorageFailure) -> HistoryPage {
    try makeRevisionReader().revisions(HistoryQuery(after: revision, limit: limit), retention)
  }
}
