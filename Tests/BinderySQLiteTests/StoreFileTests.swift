import BinderyCore
import BinderyJournal
import BinderySQLite
import BinderyTestKit
import Foundation
import Glibc
import Testing

/// The files of a store: their lock, their names and their permissions.
struct StoreFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder("store.db") }
  private let files = FileManager.default

  init() throws { folder = try TemporaryFolder() }

  private static func revision(_ number: Int) -> Revision {
    Revision(number: number, at: 4_000_000_000_000, patch: Array("[]".utf8), undo: Array("[]".utf8), shown: nil)
  }

  /// Opens the store at a path and appends revision 1, if it is new.
  private func open(_ path: String) throws -> SQLiteStorage {
    let storage = try SQLiteStorage(path)
    if try storage.snapshot() == nil {
      try storage.finish(piece: [1], number: 0, ofSnapshotAt: 0, layout: "")
      try storage.append([Self.revision(1)])
    }
    return storage
  }

  /// The POSIX locks that this process holds on the store, each with its kind and range.
  ///
  /// Read from the descriptors: `/proc/locks` is read in parts, and omits locks if others change meanwhile.
  private func locks() throws -> [String] {
    let store = URL(filePath: path).resolvingSymlinksInPath().path
    return try files.contentsOfDirectory(atPath: "/proc/self/fd")
      .filter { (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == store }
      .compactMap { try? String(contentsOfFile: "/proc/self/fdinfo/\($0)", encoding: .utf8) }
      .flatMap { $0.split(separator: "\n") }
      .filter { $0.hasPrefix("lock:") && $0.contains("POSIX") }
      // Without the number of the line.
      .map { $0.drop { $0 != "P" } }.map(String.init).sorted()
  }

  @Test func `a store is locked under all its names`() throws {
    let storage = try open(path)
    try files.createSymbolicLink(atPath: folder("symbolic.db"), withDestinationPath: "store.db")
    #expect(throws: StoreError.inUse) { try SQLiteStorage(folder("symbolic.db")) }
    #expect(throws: StoreError.inUse) { try SQLiteStorage(folder("./store.db")) }
    try files.linkItem(atPath: path, toPath: folder("hard.db"))
    for name in ["hard.db", "store.db"] {
      #expect(throws: StoreError.hardLinks(2)) { try SQLiteStorage(folder(name)) }
      #expect(throws: StoreError.hardLinks(2)) { try SQLiteStorage(reading: folder(name)) }
    }
    try files.removeItem(atPath: folder("hard.db"))
    storage.close()
    // Through the symbolic link the same files are used.
    let second = try SQLiteStorage(folder("symbolic.db"))
    defer { second.close() }
    try second.append([Self.revision(2)])
    #expect(second.path == path)
    #expect(files.fileExists(atPath: path + "-wal"))
    #expect(!files.fileExists(atPath: folder("symbolic.db-wal")))
    #expect(!files.fileExists(atPath: path + "-lock"))
  }

  @Test func `a refused attempt to open a store leaves the locks of its owner alone`() throws {
    let storage = try open(path)
    defer { storage.close() }
    let before = try locks()
    #expect(!before.isEmpty)
    #expect(throws: StoreError.inUse) { try SQLiteStorage(path) }
    _ = try storage.revisions(after: nil, limit: 1, Retention())
    try SQLiteStorage.copy(path, to: folder("copy.db"))
    #expect(try locks() == before)
  }

  @Test func `the first commit to a copy succeeds, and finds a WAL file that was removed`() throws {
    let storage = try open(path)
    for name in ["copy.db", "second.db"] { try SQLiteStorage.copy(path, to: folder(name)) }
    try SQLiteStorage.restore(folder("restored.db"), from: path)
    storage.close()
    for name in ["copy.db", "restored.db"] {
      let copy = try SQLiteStorage(folder(name))
      try copy.append([Self.revision(2)])
      copy.close()
    }
    let second = try SQLiteStorage(folder("second.db"))
    try files.removeItem(atPath: folder("second.db-wal"))
    #expect(throws: StorageFailure.self) { try second.append([Self.revision(2)]) }
    #expect(try second.reopen() == 2)
    second.close()
  }

  @Test func `commits to a WAL file that was removed are moved to the database`() throws {
    let storage = try open(path)
    try files.removeItem(atPath: path + "-wal")
    #expect(throws: StorageFailure.self) { try storage.append([Self.revision(2)]) }
    #expect(try storage.reopen() == 2)
    try storage.append([Self.revision(3)])
    // Reading a copy of the files shows what a start after a crash would find.
    for suffix in ["", "-wal"] { try files.copyItem(atPath: path + suffix, toPath: folder("crashed.db") + suffix) }
    let crashed = try SQLiteStorage(folder("crashed.db"))
    #expect(try crashed.reopen() == 3)
    crashed.close()
    storage.close()
  }

  @Test func `a store that was moved is not written, and a file in its place is left alone`() throws {
    let storage = try open(path)
    for suffix in ["", "-wal", "-shm"] {
      try files.moveItem(atPath: path + suffix, toPath: folder("away.db") + suffix)
    }
    let other = try open(path)
    other.close()
    let before = try Data(contentsOf: URL(filePath: path))
    guard case .refused? = #expect(throws: StorageFailure.self, performing: { try storage.append([Self.revision(2)]) })
    else {
      Issue.record("nothing was written, so the append must be refused")
      return
    }
    #expect(throws: StorageFailure.self) { try storage.reopen() }
    #expect(throws: StorageFailure.self) { try storage.probe() }
    #expect(throws: StorageFailure.self) { try storage.revisions(after: nil, limit: 1, Retention()) }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    for suffix in ["", "-wal", "-shm"] {
      try? files.removeItem(atPath: path + suffix)
      try files.moveItem(atPath: folder("away.db") + suffix, toPath: path + suffix)
    }
    try storage.append([Self.revision(2)])
    #expect(try storage.reopen() == 2)
    storage.close()
  }

  @Test func `only the owner can read the files of a store and its copies`() throws {
    let storage = try open(path)
    defer { storage.close() }
    try SQLiteStorage.copy(path, to: folder("copy.db"))
    for name in ["store.db", "store.db-wal", "store.db-shm", "copy.db"] {
      #expect(try files.attributesOfItem(atPath: folder(name))[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test(arguments: [":memory:", "file:store.db", "file:x?mode=memory"])
  func `a name that SQLite does not take for a file is refused`(_ name: String) {
    #expect(throws: StoreError.notAFile) { try SQLiteStorage(name) }
    #expect(throws: StoreError.notAFile) { try SQLiteStorage(reading: name) }
  }

  @Test func `a directory or a device is refused`() throws {
    for path in [folder.url.path, "/dev/null"] {
      #expect(throws: StoreError.notAFile) { try SQLiteStorage(path) }
    }
  }
}
