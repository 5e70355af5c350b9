import BinderyAPI
import BinderyCore
import BinderyTelemetry
import BinderyTestKit
import Testing

/// Streams of a long value whose clients do not read: what they hold is counted and bounded, and nothing is lost.
struct UnreadStreamTests {
  private static let targets = [
    "/state", "/state?as=patch", "/events?path=/", "/events?path=/entries&path=/&path=/title",
  ]
  private static let sliceBytes = 1 << 16
  /// A slice ends with an element, so it is up to one element longer.
  private static let maximumSliceBytes = sliceBytes + 2_000
  private let encodings = Encodings()

  private func loop(maximumUnreadBytes: Int = 16 << 20) -> MemoryLoop<Archive> {
    var limits = StreamLimits()
    limits.maximumUnreadBytes = maximumUnreadBytes
    return MemoryLoop(Store(Archive.make(encodings)), streamLimits: limits)
  }

  /// Returns streams whose clients stop reading in the middle of the first event.
  ///
  /// - Parameter ofDifferentValues: Whether each stream sends another version of the value, so that they share nothing.
  private func stalled(
    _ count: Int, _ loop: MemoryLoop<Archive>, _ target: String, ofDifferentValues: Bool = false
  ) -> [MemoryExchange] {
    (0..<count).map { number in
      if ofDifferentValues {
        loop.store.post { $0.title = "stalled \(number)" }
        loop.settle()
      }
      let stream = loop.listen(target)
      while stream.bytes.count < Self.sliceBytes, loop.turn() {}
      loop.pauseReading(stream)
      return stream
    }
  }

  @Test(arguments: targets) func `subscribers that stall in the same event hold one slice together`(target: String) {
    let loop = loop()
    let streams = stalled(60, loop, target)
    loop.settle()
    #expect(streams.allSatisfy { $0.take().isEmpty && $0.bytes.count >= Self.sliceBytes })
    #expect(loop.unreadBytes > 0)
    #expect(loop.unreadBytes <= Self.maximumSliceBytes)
    for number in 1...5 {
      loop.store.post { $0.title = "\(number)" }
      loop.settle()
    }
    #expect(loop.unreadBytes <= Self.maximumSliceBytes)
    for stream in streams.dropFirst() { loop.disconnect(stream) }
    #expect(loop.unreadBytes > 0)
    loop.disconnect(streams[0])
    #expect(loop.unreadBytes == 0)
  }

  @Test(arguments: ["/state", "/events?path=/"])
  func `a stalled subscriber holds at most one slice of a long value`(target: String) {
    let loop = loop()
    let streams = stalled(20, loop, target, ofDifferentValues: true)
    #expect(loop.unreadBytes > 10 * Self.sliceBytes)
    #expect(loop.unreadBytes <= streams.count * Self.maximumSliceBytes)
  }

  @Test(arguments: targets) func `a stalled subscriber receives the event that it began, and then the newest value`(
    target: String
  ) throws {
    let loop = loop()
    let streams = stalled(3, loop, target)
    for number in 1...5 {
      loop.store.post { $0.title = "\(number)" }
      loop.settle()
    }
    for stream in streams {
      loop.resumeReading(stream)
      loop.settle()
      let events = stream.takeData()
      #expect(events.count == 2)
      #expect(events.first?.contains(#""title":"0""#) == true || events.first?.contains(#""value":"0""#) == true)
      #expect(events.last?.contains("\"5\"") == true)
    }
    #expect(loop.unreadBytes == 0)
  }

  @Test func `a write beside 20 unread streams of a value of 1.6 MB causes no work for them`() throws {
    let loop = loop()
    let repeated = "/events?" + Array(repeating: "path=/", count: 64).joined(separator: "&")
    let streams = stalled(20, loop, repeated)
    loop.settle()
    // Each stream measured and began one copy of the value: together they encoded less than three whole values.
    #expect(encodings.take() < 3 * Archive.entryCount)
    let produced = loop.produceCount
    for number in 1...10 { #expect(try loop.patch("/state/title", "\"\(number)\"").status == 200) }
    #expect(loop.produceCount == produced)
    #expect(encodings.take() == 0)
    #expect(loop.unreadBytes <= Self.maximumSliceBytes)
    for stream in streams { loop.resumeReading(stream) }
    loop.settle()
    for stream in streams {
      let events = stream.takeData()
      #expect(events.count == 2)
      #expect(events.last?.hasPrefix(#"{"revision":10,"changes":[{"path":"/","value":{"title":"10","#) == true)
      #expect(events.last.map { $0.utf8.count < Archive.jsonBytes * 2 } == true)
    }
  }

  @Test func `subscribers that read at the same speed share the encoding of a long value`() {
    let loop = loop()
    let streams = (0..<20).map { _ in loop.listen("/state") }
    loop.settle()
    _ = encodings.take()
    loop.store.post { $0.title = "1" }
    loop.settle()
    #expect(streams.allSatisfy { $0.take().count == 2 })
    #expect(encodings.take() <= 2 * Archive.entryCount)
  }

  @Test(arguments: ["/state", "/events?path=/&path=/title"])
  func `above the bound nothing is encoded for further streams, and they receive the newest value later`(
    target: String
  ) {
    let loop = loop(maximumUnreadBytes: 500_000)
    let stalled = stalled(30, loop, target, ofDifferentValues: true)
    #expect(loop.unreadBytes < 500_000 + Self.maximumSliceBytes)
    let begun = stalled.filter { $0.bytes.count >= Self.sliceBytes }
    #expect((5..<10).contains(begun.count))
    let waiting = (0..<50).map { _ in loop.listen(target) }
    loop.settle()
    let (held, received) = (loop.unreadBytes, waiting.map(\.bytes.count))
    #expect(received.allSatisfy { $0 < 1_000 })
    _ = encodings.take()
    for number in 1...5 {
      loop.store.post { $0.title = "\(number)" }
      loop.settle()
    }
    #expect(loop.unreadBytes == held)
    #expect(waiting.map(\.bytes.count) == received)
    #expect(encodings.take() == 0)
    // Short events do not wait for others.
    #expect(loop.listen("/state/title").takeData() == ["\"5\""])

    for stream in stalled { loop.resumeReading(stream) }
    loop.settle()
    for stream in waiting {
      let events = stream.takeData()
      #expect(events.count == 1)
      #expect(events.first?.contains("\"5\"") == true)
    }
    for stream in stalled { #expect(stream.takeData().last?.contains("\"5\"") == true) }
    #expect(loop.unreadBytes == 0)
  }

  @Test func `a stream in the middle of an event waits for memory too, and then continues it`() {
    let loop = loop(maximumUnreadBytes: 200_000)
    let first = stalled(1, loop, "/state")
    let others = stalled(5, loop, "/state", ofDifferentValues: true)
    // Three slices of other versions leave no room for the second slice of this one.
    for stream in first { loop.resumeReading(stream) }
    loop.settle()
    #expect(first.allSatisfy { $0.isOpen })
    for stream in others { loop.resumeReading(stream) }
    loop.settle()
    for stream in first + others { #expect(stream.takeData().last?.contains("\"stalled 4\"") == true) }
    #expect(loop.unreadBytes == 0)
  }

  @Test func `streams that were closed while they waited do not use the room of others`() {
    let loop = loop(maximumUnreadBytes: 100_000)
    let stalled = stalled(3, loop, "/state", ofDifferentValues: true)
    let waiting = (0..<10).map { _ in loop.listen("/state") }
    loop.settle()
    for stream in waiting.dropLast() { loop.disconnect(stream) }
    for stream in stalled { loop.disconnect(stream) }
    loop.settle()
    #expect(waiting.last?.takeData().count == 1)
    #expect(loop.unreadBytes == 0)
  }

  @Test func `slow streams end if others wait for their memory`() {
    let loop = loop(maximumUnreadBytes: 190_000)
    let slow = stalled(3, loop, "/state", ofDifferentValues: true)
    loop.advance(milliseconds: 60_000)
    #expect(slow.allSatisfy { $0.isOpen })
    let waiting = loop.listen("/state")
    loop.settle()
    let early = waiting.takeData().count
    #expect(early == 0)
    loop.advance(milliseconds: 1_000)
    let received = waiting.takeData().count
    #expect(received == 1)
    // The slowest one is sufficient.
    #expect(slow.map { $0.isOpen } == [false, true, true])
  }

  @Test func `slow streams do not end for a client that has left`() {
    let loop = loop(maximumUnreadBytes: 190_000)
    let slow = stalled(3, loop, "/state", ofDifferentValues: true)
    let waiting = loop.listen("/state")
    loop.settle()
    loop.disconnect(waiting)
    loop.advance(milliseconds: 60_000)
    #expect(slow.allSatisfy { $0.isOpen })
  }

  @Test func `streams that read steadily do not end because others wait`() {
    let loop = loop(maximumUnreadBytes: 190_000)
    let steady = stalled(3, loop, "/state", ofDifferentValues: true)
    let waiting = loop.listen("/state")
    for _ in 0..<3 {
      loop.advance(milliseconds: 8_000)
      for stream in steady {
        loop.resumeReading(stream)
        loop.pauseReading(stream)
      }
    }
    #expect((steady + [waiting]).allSatisfy { $0.isOpen })
  }

  @Test func `streams that wait continue when the streams before them are closed`() {
    let loop = loop(maximumUnreadBytes: 100_000)
    let stalled = stalled(5, loop, "/state", ofDifferentValues: true)
    let waiting = loop.listen("/state")
    loop.settle()
    #expect(waiting.take().isEmpty)
    for stream in stalled { loop.disconnect(stream) }
    loop.settle()
    #expect(waiting.take().count == 1)
  }
}

extension MemoryLoop {
  /// The bytes that streams hold, as `/metrics` reports them.
  var unreadBytes: Int {
    var exposition = Exposition()
    metrics.collect(into: &exposition)
    let lines = String(decoding: exposition.bytes, as: UTF8.self).split(separator: "\n")
    let line = lines.first { $0.hasPrefix("bindery_stream_unread_bytes ") }
    return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? -1
  }
}
