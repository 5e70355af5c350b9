import BinderySystem
import Glibc
import Testing

/// The log queue with a pipe that is read slowly, late or not at all.
struct LogQueueTests {
  /// Creates a pipe and returns the descriptors of its two ends.
  private func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(unsafe Glibc.pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  private func read(_ end: Int32, until isDone: (String) -> Bool) -> String {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !isDone(String(decoding: text, as: UTF8.self)) {
      let count = unsafe Glibc.read(end, &buffer, buffer.count)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  @Test func `lines are written completely and in order`() throws {
    let (from, to) = try pipe()
    let queue = try LogQueue(descriptor: to)
    for number in 0..<100 { queue.enqueue(Array("line \(number)\n".utf8)) }
    queue.flush(withinMilliseconds: 10_000)
    let text = read(from) { $0.hasSuffix("line 99\n") }
    #expect(text.split(separator: "\n").map(String.init) == (0..<100).map { "line \($0)" })
    #expect(queue.droppedCount == 0)
  }

  @Test func `a full queue drops lines instead of blocking the caller`() throws {
    let (from, to) = try pipe()
    let queue = try LogQueue(descriptor: to, capacity: 1 << 12)
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1_023) + [UInt8(ascii: "\n")]
    // More bytes than the pipe and the queue can hold together. The calls must return all the same.
    for _ in 0..<1_000 { queue.enqueue(line) }
    let dropped = queue.droppedCount
    #expect(dropped > 0)
    let writtenBytes = (1_000 - dropped) * line.count
    let text = read(from) { $0.utf8.count >= writtenBytes }
    #expect(text.utf8.count == writtenBytes)
    #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count == 1_023 })
  }

  @Test func `a closed pipe does not end the process`() throws {
    let (from, to) = try pipe()
    let queue = try LogQueue(descriptor: to)
    close(from)
    queue.enqueue(Array("one\n".utf8))
    queue.flush(withinMilliseconds: 10_000)
    #expect(queue.droppedCount == 1)
  }
}
