import BinderySystem
import BinderyTestKit
import Foundation
import Testing

struct DirectoryWatchTests {
  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    try withExtendedLifetime(folder) { try body(folder.path) }
  }

  @Test func `a watch reports files that are written, renamed and removed`() throws {
    try inFolder { folder in
      let watch = try DirectoryWatch(folder)
      var poll = try Poll(capacity: 1)
      try poll.add(watch, token: 7)
      #expect(watch.events().isEmpty)
      try File.create(folder + "/a", [1])
      var count = poll.wait(milliseconds: 5_000)
      try #require(count == 1)
      #expect(poll[0].token == 7)
      #expect(watch.events().contains(DirectoryWatch.Event(name: "a", isWrite: true)))
      try File.rename(folder + "/a", to: folder + "/b")
      #expect(watch.events() == [.init(name: "a", isWrite: false), .init(name: "b", isWrite: false)])
      File.remove(folder + "/b")
      #expect(watch.events() == [.init(name: "b", isWrite: false)])
      count = poll.wait(milliseconds: 0)
      #expect(count == 0)
    }
  }

  @Test func `a file is read whole and only if it is a regular file`() throws {
    try inFolder { folder in
      let content = [UInt8](repeating: 7, count: 100_000)
      let stamp = try File.create(folder + "/a", content)
      let read = try File.read(folder + "/a")
      #expect(read.content == content)
      #expect(read.before.stamp == stamp && read.after.stamp == stamp)
      #expect(throws: Errno.fileExists) { try File.create(folder + "/a", []) }
      try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/a")
      #expect(throws: Errno.symbolicLinkLoop) { try File.read(folder + "/link") }
      #expect(throws: Errno.invalidArgument) { try File.read(folder) }
      #expect(throws: Errno.noSuchFile) { try File.read(folder + "/none") }
    }
  }

  @Test func `files are exchanged, and a rename without replacing keeps what is there`() throws {
    try inFolder { folder in
      let (a, b) = (folder + "/a", folder + "/b")
      try File.create(a, [1])
      try File.create(b, [2])
      try File.exchange(a, with: b)
      #expect(try File.read(a).content == [2])
      #expect(try File.read(b).content == [1])
      #expect(throws: Errno.fileExists) { try File.renameWithoutReplacing(a, to: b) }
      File.remove(b)
      try File.renameWithoutReplacing(a, to: b)
      #expect(try File.read(b).content == [2])
    }
  }
}
