import BinderyJSON
import BindingLaws
import Testing

@Suite struct ReaderTests {
  private static func text(_ random: inout SeededGenerator) -> [UInt8] {
    var writer = JSONWriter()
    Value.random(depth: 4, &random).write(to: &writer)
    return writer.bytes
  }

  @Test func `a reused reader returns the same results as a new one, even after a syntax error`() throws {
    var random = SeededGenerator(seed: 17)
    var reader = JSONReader()
    for _ in 0..<2_000 {
      let bytes = Self.text(&random)
      if Bool.random(using: &random) {
        let invalid = Array(bytes.dropLast()) + [UInt8(ascii: "]")]
        let expected = syntaxError(in: invalid)
        do throws(JSONSyntaxError) {
          _ = try reader.read(invalid.span)
          #expect(expected == nil)
        } catch { #expect(error == expected) }
      }
      let root = try reader.read(bytes.span)
      #expect(Value(root) == Value(try JSONDocument(parsing: bytes).root))
      #expect(Array(root.text) == bytes)
    }
  }

  @Test func `a stored node keeps its text when the reader continues`() throws {
    var random = SeededGenerator(seed: 19)
    var reader = JSONReader()
    var stored: [(node: JSONNode, bytes: [UInt8])] = []
    for _ in 0..<200 {
      let bytes = Self.text(&random)
      let root = try reader.read(bytes.span)
      if Bool.random(using: &random) { stored.append((root, bytes)) }
    }
    for (node, bytes) in stored { #expect(Array(node.text) == bytes) }
  }

  @Test func `copies of a reader are independent`() throws {
    var reader = JSONReader()
    _ = try reader.read("1".utf8.span)
    var other = reader
    let first = try reader.read("[2]".utf8.span)
    let second = try other.read("[33]".utf8.span)
    #expect(Array(first.text) == Array("[2]".utf8) && Array(second.text) == Array("[33]".utf8))
  }

  @Test func `the depth limit is the same for the first and later texts`() throws {
    func text(_ depth: Int) -> [UInt8] {
      [UInt8](repeating: UInt8(ascii: "["), count: depth) + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
    }
    var reader = JSONReader()
    for _ in 0..<2 {
      #expect(try reader.read(text(64).span).count == 1)
      #expect(throws: JSONSyntaxError.self) { try reader.read(text(65).span) }
    }
    var fresh = JSONReader()
    #expect(throws: JSONSyntaxError.self) { try fresh.read(text(65).span) }
  }

  @Test func `a text above the buffer reuse limit is read like any other`() throws {
    var reader = JSONReader()
    for length in [4_094, 4_095, 100_000, 3] {
      let text = "\"" + String(repeating: "x", count: length) + "\""
      #expect(try reader.read(text.utf8.span).string?.utf8.count == length)
    }
    #expect(throws: JSONSyntaxError.self) { try reader.read("".utf8.span) }
  }
}
