import BinderySystem
import BinderyTestKit
import Foundation
import Synchronization
import Testing

/// Unix sockets whose file exists already.
struct UnixListenerTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  private func path(_ name: String) -> String { directory(name) }

  private func listener(_ name: String) throws -> Listener { try Listener(address: .unix(path: path(name))) }

  private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// Creates the file of a socket whose server was killed: no process listens on it.
  private func makeAbandonedSocket(_ name: String) throws {
    let listener = try listener("killed")
    try FileManager.default.moveItem(atPath: path("killed"), toPath: path(name))
    _ = listener
  }

  @Test func `the socket of a killed server is replaced`() throws {
    try makeAbandonedSocket("socket")
    do {
      let listener = try listener("socket")
      let client = try ClientSocket(to: .unix(path: path("socket")))
      client.endWriting()
      try #require(try listener.accept()).close()
    }
    #expect(!exists("socket"))
  }

  @Test func `the socket of a running server is not replaced`() throws {
    let first = try listener("socket")
    #expect(throws: Errno.addressInUse) { try listener("socket") }
    _ = try ClientSocket(to: .unix(path: path("socket")))
    try #require(try first.accept()).close()
  }

  @Test func `a server whose backlog is full is running`() throws {
    let first = try Listener(address: .unix(path: path("socket")), backlog: 0)
    _ = try ClientSocket(to: .unix(path: path("socket")))
    #expect(throws: Errno.addressInUse) { try listener("socket") }
    #expect(try first.accept() != nil)
  }

  @Test func `a file that is not a socket is not replaced`() throws {
    try Data("important".utf8).write(to: directory.url.appending(path: "file"))
    try makeAbandonedSocket("socket")
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("socket"))
    for name in ["file", "link"] { #expect(throws: Errno.addressInUse) { try listener(name) } }
    #expect(try Data(contentsOf: directory.url.appending(path: "file")) == Data("important".utf8))
    #expect(exists("link") && exists("socket"))
  }

  @Test func `a listener does not remove the socket of its successor`() throws {
    var first: Listener? = try listener("socket")
    try FileManager.default.removeItem(atPath: path("socket"))
    let second = try listener("socket")
    first = nil
    #expect(exists("socket") && first == nil)
    _ = try ClientSocket(to: second.address)
  }

  @Test func `of servers that start at the same time on the socket of a killed one, exactly one listens`() throws {
    for round in 0..<20 {
      try makeAbandonedSocket("\(round)")
      let address = SocketAddress.unix(path: path("\(round)"))
      let listeners = Mutex<[Listener]>([])
      let threads = try (0..<4).map { _ in
        try Thread {
          if let listener = try? Listener(address: address) { listeners.withLock { $0.append(listener) } }
        }
      }
      for thread in threads { thread.join() }
      #expect(listeners.withLock { $0.count } == 1)
      _ = try ClientSocket(to: address)
    }
  }
}

private typealias Thread = BinderySystem.Thread
