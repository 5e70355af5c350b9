import BinderyCore
import BinderyDigest
import BinderyJSON
import Synchronization
import Testing

/// Dictionaries whose JSON is written in several slices.
struct LongDictionaryTests {
  /// A key that counts how often its text is needed.
  struct CountedKey: PathKey, Editable, Hashable {
    static let count = Atomic(0)
    let number: Int

    var keyText: String {
      Self.count.add(1, ordering: .relaxed)
      return "k\(number)"
    }
    static func key(from text: String) -> CountedKey? {
      text.first == "k" ? Int(text.dropFirst()).map { CountedKey(number: $0) } : nil
    }

    static let shape = EditableShape<CountedKey>.scalar(
      "CountedKey", as: String.self, examples: ["k1"], expected: "the letter k and a number",
      encode: { "k\($0.number)" }, decode: CountedKey.key(from:))
  }

  private let shape = [CountedKey: Int].shape
  private let entries = Dictionary(uniqueKeysWithValues: (0..<20_000).map { (CountedKey(number: $0), $0) })

  private func firstSlice(of entries: [CountedKey: Int]? = nil) throws -> ReadOperation {
    var reading = ReadOperation(.json, key: .random(), writer: JSONWriter(stoppingAt: 1_000))
    try shape.visit(entries ?? self.entries, Route.root(shape.type), 0, &reading)
    return reading
  }

  /// Returns the number of texts of keys that a call needs.
  private func texts(_ body: () throws -> Void) rethrows -> Int {
    let before = CountedKey.count.load(ordering: .relaxed)
    try body()
    return CountedKey.count.load(ordering: .relaxed) - before
  }

  @Test func `responses that are written at the same time share the sorted keys`() throws {
    var readings: [ReadOperation] = []
    #expect(try texts { readings.append(try firstSlice()) } >= 20_000)
    #expect(try texts { for _ in 0..<10 { readings.append(try firstSlice()) } } < 20_000)
    var text = ""
    for index in readings.indices {
      let writeRemainder = try #require(readings[index].writeRemainder)
      while readings[index].writer.hasStopped {
        readings[index].writer.resume(stoppingAt: readings[index].writer.bytes.count + 10_000)
        writeRemainder(&readings[index].writer)
      }
      let written = String(decoding: readings[index].writer.bytes, as: UTF8.self)
      #expect(index == 0 || written == text)
      text = written
    }
    let keys = text.split(separator: "\"").filter { $0.hasPrefix("k") }
    #expect(keys.count == 20_000 && keys == keys.sorted())
    // No response uses the order now, but it is the latest one.
    readings = []
    #expect(try texts { _ = try firstSlice() } < 20_000)
    var changed = entries
    changed[CountedKey(number: 0)] = 1
    #expect(try texts { _ = try firstSlice(of: changed) } >= 20_000)
    #expect(try texts { _ = try firstSlice() } >= 20_000)
  }
}
