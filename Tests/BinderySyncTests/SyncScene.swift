import BinderyCore
import BinderySync
import BinderyTelemetry
import BinderyTestKit
import Foundation
import Synchronization

/// A store, a data file and an engine between them, with a clock that the test advances.
final class SyncScene {
  let folder: TemporaryFolder
  let path: String
  /// The path of the record, beside the store.
  let recordPath: String
  private(set) var store: Store<DynamicValue>
  private(set) var engine: SyncEngine<DynamicValue>
  private(set) var now: Int64 = 0
  private let lines = LogLines()

  /// Creates a file and a store with the same data, and starts.
  init(_ data: String = Blog.data) throws {
    folder = try TemporaryFolder()
    path = folder("db.json")
    recordPath = folder("db.db-sync")
    try Data(data.utf8).write(to: URL(filePath: path))
    store = Store(try Blog.state(data), of: Blog.model.definition)
    engine = Self.engine(path, store, recordPath, lines)
    try engine.begin()
  }

  private static func engine(
    _ path: String, _ store: Store<DynamicValue>, _ recordPath: String, _ lines: LogLines
  ) -> SyncEngine<DynamicValue> {
    SyncEngine(SyncFile(path), store, recordPath: recordPath, lines.logger) { 0 }
  }

  /// Starts another engine, as after the end of the process.
  func restart() throws {
    engine = Self.engine(path, store, recordPath, lines)
    now = 0
    try engine.begin()
  }

  /// Replaces the store by another one with the state in some JSON, by default at a later revision.
  func replaceStore(_ json: String, revision: Int? = nil) throws {
    store = Store(try Blog.state(json), of: Blog.model.definition, revision: revision ?? store.revision + 1)
  }

  // MARK: The file

  var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  /// The names of the files in the folder.
  var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() } }

  func text(of name: String) throws -> String {
    try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
  }

  /// Writes to the file like an editor, and lets the engine read it.
  func edit(_ text: String, atomically: Bool = false) throws {
    try write(text, atomically: atomically)
    read()
  }

  func write(_ text: String, atomically: Bool = false) throws {
    try Data(text.utf8).write(to: URL(filePath: path), options: atomically ? .atomic : [])
    engine.didReceiveNotification(isWrite: true, at: now)
  }

  /// Lets the engine see the file, and see that it is quiet.
  func read() {
    engine.turn(at: now)
    advance(50)
  }

  func advance(_ milliseconds: Int64) {
    now += milliseconds
    engine.turn(at: now)
  }

  func finish() { engine.finish() }

  // MARK: The store

  var state: String { String(decoding: Blog.shape.data(store.snapshot.root), as: UTF8.self) }

  /// Commits a change of the JSON of the state.
  func commit(_ old: String, _ new: String) throws {
    let changed = try Blog.state(state.replacing(old, with: new))
    store.post { $0 = changed }
  }

  // MARK: The log

  /// The warnings and errors since the last call.
  func problems() -> [String] { messages(from: .warning) }

  /// All messages since the last call.
  func messages() -> [String] { messages(from: .info) }

  private func messages(from level: LogLevel) -> [String] {
    lines.take().filter { $0.level >= level }.map { $0.message.replacing(folder.path + "/", with: "") }
  }
}

private final class LogLines: Sendable {
  private let lines = Mutex<[(level: LogLevel, message: String)]>([])

  var logger: Logger {
    Logger(level: .info) { [self] level, message, _ in lines.withLock { $0.append((level, message)) } }
  }

  func take() -> [(level: LogLevel, message: String)] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
