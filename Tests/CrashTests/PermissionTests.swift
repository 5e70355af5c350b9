import BinderyTestKit
import Foundation
import Glibc
import Testing

/// Stores and folders that a program without privileges may not use: the messages name the folder or the permission.
@Suite(.serialized)
struct PermissionTests {
  private let folder: TemporaryFolder
  private var closed: String { folder("closed") }
  private var store: String { folder("closed/store.db") }

  /// Root without capabilities is subject to permissions, and can still run the program.
  private static let shell = getuid() == 0 ? "exec setpriv --bounding-set=-all --inh-caps=-all" : "exec"

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder("closed"), withIntermediateDirectories: false)
    let server = try Server(store: folder("closed/store.db"))
    #expect(server.stop() == 0)
  }

  private func run(_ arguments: [String]) throws -> ChildProcess.Result {
    let program = try ChildProcess.builtProgram("bindery")
    return try ChildProcess.run("/bin/sh", ["-c", "\(Self.shell) \"$0\" \"$@\"", program] + arguments)
  }

  /// Runs a command while a file has other permissions.
  private func run(_ arguments: [String], while path: String, has permissions: Int) throws -> ChildProcess.Result {
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path) }
    return try run(arguments)
  }

  @Test(arguments: ["closed", "closed/store.db"])
  func `a store that may not be read is not reported as missing`(_ name: String) throws {
    let message = "\(store): the store cannot be opened: Permission denied\n"
    for command in [["export"], ["backup", folder("copy.db")]] {
      let refused = try run(command + ["--store", store], while: folder(name), has: 0)
      #expect(refused.code == 74)
      #expect(refused.errors == "bindery: \(message)")
    }
    let restored = try run(["restore", store, "--store", folder("other.db")], while: folder(name), has: 0)
    #expect(restored.code == 74 && restored.errors == "bindery: \(message)", "\(restored.errors)")
    let checked = try run(["check", "--store", store], while: folder(name), has: 0)
    #expect(checked.code == 78 && checked.errors == "bindery: \(message)", "\(checked.errors)")
  }

  @Test(.enabled(if: getuid() == 0, "only root can give a file away"))
  func `a store that root restores can be used by its owner`() throws {
    let copy = folder("copy.db")
    #expect(try Server.run("backup", "--store", store, copy).code == 0)
    let user = 12_345
    for path in [folder.path, closed, store] {
      try FileManager.default.setAttributes([.ownerAccountID: user, .groupOwnerAccountID: user], ofItemAtPath: path)
    }
    // The store is replaced by a file of its owner, and a new one belongs to the owner of the folder.
    for path in [store, folder("closed/new.db")] {
      #expect(try Server.run("restore", "--store", path, copy).code == 0)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.ownerAccountID] as? Int == user && attributes[.groupOwnerAccountID] as? Int == user)
    }
    try FileManager.default.setAttributes([.ownerAccountID: 0, .groupOwnerAccountID: 0], ofItemAtPath: store)
    let program = try ChildProcess.builtProgram("bindery")
    let serve = [program, "serve", "--listen", "127.0.0.1:0", "--store", store]
    let options = ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups"]
    let refused = try ChildProcess.run("setpriv", options + serve)
    #expect(refused.code == 78)
    #expect(
      refused.errors.hasPrefix(
        "bindery: \(store): the file belongs to the user with the id 0, and this program runs as the user with the id "
          + "\(user), which may not use it: run the program as its owner"), "\(refused.errors)")
  }

  @Test func `a server names the folder that does not exist, as check does`() throws {
    let store = folder("none/store.db")
    for command in ["serve", "check"] {
      let refused = try run([command, "--listen", "127.0.0.1:0", "--store", store])
      #expect(refused.code == 78)
      #expect(refused.errors == "bindery: \(store): the directory \(folder("none")) does not exist\n")
    }
  }

  @Test func `a command that reads a store says that the folder must be writable`() throws {
    for command in [["export"], ["backup", folder("copy.db")]] {
      let refused = try run(command + ["--store", store], while: closed, has: 0o500)
      #expect(refused.code == 78)
      #expect(refused.errors.contains("\(store): the directory \(closed) must be writable"), "\(refused.errors)")
    }
  }

  @Test(arguments: ["store.db", "new.db"])
  func `a server says that the folder of its store must be writable`(_ name: String) throws {
    let store = folder("closed/" + name)
    let refused = try run(["serve", "--listen", "127.0.0.1:0", "--store", store], while: closed, has: 0o500)
    #expect(refused.code == 78)
    #expect(refused.errors.contains("\(store): the directory \(closed) must be writable"), "\(refused.errors)")
  }
}
