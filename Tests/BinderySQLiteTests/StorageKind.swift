import BinderyJournal
import BinderySQLite
import Testing

/// The kinds of log that one suite of laws is for.
enum StorageKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case memory, sqlite

  var testDescription: String { rawValue }

  /// Puts a law to the test on a new log.
  func check(_ law: some LogLaw) throws {
    switch self {
    case .memory:
      let log = MemoryStorage()
      try law.hold(for: LogSource { log })
    case .sqlite:
      let folder = try TemporaryFolder()
      try law.hold(for: LogSource { try SQLiteStorage(folder("store.db")) })
    }
  }
}

/// Something that any log must do.
protocol LogLaw {
  func hold<Kept: JournalStorage>(for source: LogSource<Kept>) throws
}

/// Opens one log again and again.
struct LogSource<Kept: JournalStorage> {
  let open: () throws -> Kept

  /// Opens the log for as long as `body` runs.
  func with<R>(_ body: (Kept) throws -> R) throws -> R {
    let log = try open()
    defer { log.close() }
    return try body(log)
  }
}
