import BinderyJSON
import BindingLaws
import Testing

/// A JSON value for round-trip tests.
indirect enum Value: Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string([UInt8])
  case array([Value])
  case object([Member])

  struct Member: Equatable {
    var name: [UInt8]
    var value: Value
  }

  static func random(depth: Int, _ random: inout SeededGenerator) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2: return .integer(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))
    case 3: return .double(Double.random(in: -1...1, using: &random) + 2)
    case 4: return .string(randomString(&random))
    case 5, 6:
      return .array((0..<Int.random(in: 0..<5, using: &random)).map { _ in .random(depth: depth - 1, &random) })
    default:
      return .object(
        (0..<Int.random(in: 0..<5, using: &random)).map { _ in
          Member(name: randomString(&random), value: .random(depth: depth - 1, &random))
        })
    }
  }

  private static func randomString(_ random: inout SeededGenerator) -> [UInt8] {
    let scalars: [Unicode.Scalar] = [
      "a", "Z", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", " ", "é", "€", "🍝", "\u{10FFFF}", "\u{7F}",
    ]
    var string = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0..<12, using: &random) { string.append(scalars.randomElement(using: &random) ?? "x") }
    return Array(String(string).utf8)
  }

  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .integer(let value): writer.integer(value)
    case .double(let value): writer.double(value)
    case .string(let value): writer.string(utf8: value.span)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.key(String(decoding: member.name, as: UTF8.self))
        member.value.write(to: &writer)
      }
      writer.endObject()
    }
  }

  init?(_ node: JSONNode) {
    switch node.kind {
    case .null: self = .null
    case .bool: self = .bool(node.bool ?? false)
    case .number:
      if case .value(let integer) = node.integer() {
        self = .integer(integer)
      } else if let double = node.double {
        self = .double(double)
      } else {
        return nil
      }
    case .string: self = .string(Array((node.string ?? "").utf8))
    case .array: self = .array(node.elements.compactMap { Value($0) })
    case .object:
      self = .object(
        node.members.compactMap { key, value in
          Value(value).map { Member(name: Array((key.string ?? "").utf8), value: $0) }
        })
    }
  }
}

@Suite struct RandomValueTests {
  @Test func `random values round-trip, compact and indented`() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let value = Value.random(depth: 5, &random)
      var writer = JSONWriter()
      value.write(to: &writer)
      let root = try JSONDocument(parsing: writer.bytes).root
      #expect(Value(root) == value)
      let pretty = try JSONDocument(parsing: prettyPrinted(writer.bytes.span)).root
      #expect(Value(pretty) == value)
      #expect(root.equals(pretty))
    }
  }

  @Test func `every truncated text is rejected`() {
    for text in Self.corpus {
      for length in 0..<text.count { #expect(syntaxError(in: Array(text[..<length])) != nil) }
    }
  }

  @Test func `no changed or missing byte makes the parser trap`() {
    var random = SeededGenerator(seed: 11)
    for text in Self.corpus {
      for index in text.indices {
        for _ in 0..<24 {
          var mutated = text
          mutated[index] = UInt8.random(in: .min ... .max, using: &random)
          readEverything(in: mutated)
        }
        var shortened = text
        shortened.remove(at: index)
        readEverything(in: shortened)
      }
    }
  }

  @Test func `no sequence of tokens makes the parser trap`() {
    let tokens = ["{", "}", "[", "]", ",", ":", "\"a\"", "\"\\u00e9\"", "1", "-1.5e3", "null", "true", " ", "\"", "\\"]
    var random = SeededGenerator(seed: 13)
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 1..<10, using: &random)).map { _ in tokens.randomElement(using: &random) ?? "" }
      readEverything(in: Array(text.joined().utf8))
    }
  }

  private static let corpus: [[UInt8]] = [
    """
    {"id":"0b2f8a5e-6c1d-4f3a-9e7b-2d4c6a8e0f10","name":"🍝 Carbonara","isFavorite":true,"status":{"inStock":{"quantity":3}}}
    """,
    #"[1.5e-3,-0,12345678901234567890,"\ud83c\udf5d\u00e9\n\\\"",{"a":{"b":[{}, [] ,null]}},false]"#,
    #"{ "é€𝄞" : "é€𝄞" , "x" : [ 1e400 , 0.1 ] }"#,
  ].map { Array($0.utf8) }

  /// Calls every accessor of every node, if the bytes are valid JSON.
  private func readEverything(in bytes: [UInt8]) {
    guard let root = try? JSONDocument(parsing: bytes).root else { return }
    _ = prettyPrinted(bytes.span)
    #expect(root.equals(root))
    var open = [root]
    while let node = open.popLast() {
      open += node.elements
      for (key, value) in node.members {
        #expect(key.string != nil)
        open.append(value)
      }
      #expect(node.string.map { node.isString($0) } ?? true)
      _ = (node.integer(), node.double, node.bool, node.text, node.excerpt(maximum: 5))
    }
  }
}
