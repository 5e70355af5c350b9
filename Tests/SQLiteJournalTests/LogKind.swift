import Journaling
import SQLiteJournal
import State
import Testing

/// The logs that one suite of laws is for.
enum LogKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case memory, sqlite

  var testDescription: String { rawValue }

  /// Runs laws on a new log of the kind; `reopen` closes and opens it.
  func run(_ laws: some LogLaws) throws {
    switch self {
    case .memory: try laws.hold(for: MemoryLog()) { $0 }
    case .sqlite:
      let folder = try TemporaryFolder()
      try laws.hold(for: try SQLiteLog(folder("store.db"))) { log in
        let path = log.path
        drop(log)
        return try SQLiteLog(path)
      }
    }
  }
}

/// Ends the life of what it is given.
private func drop<T>(_ value: consuming T) {}

/// Something that any log must do.
protocol LogLaws {
  func hold<Kept: Log>(for log: Kept, reopen: (consuming Kept) throws -> Kept) throws
}
