import BinderyJSON
import BinderyTestKit
import BindingLaws

/// Changes model files at random: in their structure, or byte by byte.
struct ModelFileMutator {
  var random: SeededGenerator
  /// Parts of the files that are mutated.
  private let parts: [JSONTree]

  init(seed: UInt64, _ files: [JSONTree]) {
    random = SeededGenerator(seed: seed)
    parts = files.flatMap(\.parts)
  }

  private static let keywords = [
    "$ref", "$defs", "additionalProperties", "anyOf", "const", "contentEncoding", "default", "description", "enum",
    "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum",
    "minItems", "minLength", "minProperties", "minimum", "oneOf", "properties", "readOnly", "required", "title", "type",
    "uniqueItems", "x-bindery", "addressable", "alias", "characters", "count", "filter", "generated", "id", "keys",
    "label", "lookup", "maxBytes", "noControlCharacters", "notBlank", "orDefault", "reference", "remembered", "swift",
    "in", "by", "of", "value", "where", "equals", "texts", "otherwise", "to", "onRemoval", "pattern", "", "é",
    "e\u{301}",
    "__proto__", "a/b~", "..", "a\u{2028}b",
  ]

  private static let scalars = [
    "null", "true", "false", "0", "-1", "1", "1.5", "1e400", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "10000000000", "\"\"", "\"string\"", "\"integer\"", "\"object\"", "\"array\"", "\"null\"",
    "\"uuid\"", "\"date-time\"", "\"#/$defs/Dish\"", "\"#/$defs/Missing\"", "\"#\"", "\"/dishes\"", "\"/\"", "\"/~\"",
    "\"id\"", "\"cascade\"", "\"clear\"", "\"a\\u2028b\\nc\"", "[]", "{}", "[\"string\",\"null\"]", "[1,100]",
  ]

  private static let schemas = [
    #"{"type":"string"}"#, #"{"type":["integer","null"]}"#, #"{"type":"object","properties":{}}"#,
    #"{"type":"array","items":{"type":"integer","default":1}}"#, ##"{"$ref":"#/$defs/Dish"}"##,
    ##"{"$ref":"#/$defs/Time"}"##,
    ##"{"type":"object","additionalProperties":{"$ref":"#/$defs/Status"}}"##, #"{"x-bindery":{"alias":"/dishes"}}"#,
    #"{"x-bindery":{"count":"/dishes"}}"#, #"{"x-bindery":{"lookup":{"in":"/dishes","by":"/pinnedID"}}}"#,
    #"{"type":"string","x-bindery":{"reference":{"to":"/dishes","onRemoval":"cascade"}}}"#,
    ##"{"oneOf":[{"const":"a"},{"type":"object","properties":{"b":{"$ref":"#/$defs/Time"}}}]}"##,
    #"{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer","x-bindery":{"generated":true}}},"#
      + #""x-bindery":{"id":"id"}}}"#,
  ]

  /// Returns a file with some random changes.
  mutating func mutated(_ file: JSONTree) -> [UInt8] {
    var value = file
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      var position = Int.random(in: 0..<value.parts.count, using: &random)
      value = edit(value, at: &position)
    }
    return Array(value.text.utf8)
  }

  /// Returns a text with some random bytes changed.
  mutating func mutated(_ text: [UInt8]) -> [UInt8] {
    var text = text
    for _ in 0..<Int.random(in: 1...4, using: &random) where !text.isEmpty {
      let start = Int.random(in: 0..<text.count, using: &random)
      let end = min(text.count, start + Int.random(in: 1...12, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: text[start] = random.chance(80) ? UInt8.random(in: 32...126, using: &random) : random.next8()
      case 1: text.removeSubrange(start..<end)
      case 2: text.insert(contentsOf: text[start..<end], at: start)
      default:
        // Exchanges a word in quotes.
        guard let quote = text[start...].firstIndex(of: UInt8(ascii: "\"")),
          let close = text[(quote + 1)...].firstIndex(of: UInt8(ascii: "\""))
        else { continue }
        text.replaceSubrange(quote...close, with: Array(random.pick(Self.scalars).utf8))
      }
    }
    return text
  }

  /// Edits the part at a position in document order.
  private mutating func edit(_ value: JSONTree, at position: inout Int) -> JSONTree {
    if position == 0 {
      position = -1
      return changed(value)
    }
    position -= 1
    switch value {
    case .array(var elements):
      for index in elements.indices where position >= 0 { elements[index] = edit(elements[index], at: &position) }
      return .array(elements)
    case .object(var members):
      for index in members.indices where position >= 0 {
        members[index].value = edit(members[index].value, at: &position)
      }
      return .object(members)
    default: return value
    }
  }

  private mutating func changed(_ value: JSONTree) -> JSONTree {
    switch (Int.random(in: 0..<8, using: &random), value) {
    case (0, _): return parsed(random.pick(Self.scalars))
    case (1, _): return random.pick(parts)
    case (2, _): return parsed(random.pick(Self.schemas))
    case (3, .object(var members)) where !members.isEmpty:
      members.remove(at: Int.random(in: members.indices, using: &random))
      return .object(members)
    case (4, .object(var members)) where !members.isEmpty:
      let index = Int.random(in: members.indices, using: &random)
      members[index].key = random.chance(20) ? random.pick(members).key : random.pick(Self.keywords)
      return .object(members)
    case (5, .object(var members)):
      let value = random.chance(50) ? parsed(random.pick(Self.scalars + Self.schemas)) : random.pick(parts)
      let member = JSONTree.Member(key: random.pick(Self.keywords), value: value)
      members.insert(member, at: Int.random(in: 0...members.count, using: &random))
      return .object(members)
    case (6, .array(var elements)) where !elements.isEmpty:
      let index = Int.random(in: elements.indices, using: &random)
      if random.chance(50) { elements.remove(at: index) } else { elements.insert(elements[index], at: index) }
      return .array(elements)
    default: return wrapped(value)
    }
  }

  /// Returns a schema that contains another one, at one or many levels.
  private mutating func wrapped(_ value: JSONTree) -> JSONTree {
    let form = random.pick([
      #"{"type":"array","items":?}"#, #"{"anyOf":[?,{"type":"null"}]}"#, #"{"type":"object","additionalProperties":?}"#,
      #"{"oneOf":[{"type":"object","properties":{"c":?},"required":["c"]}]}"#,
      #"{"type":"object","properties":{"m":?}}"#,
    ])
    var text = value.text
    for _ in 0..<(random.chance(15) ? 40 : 1) { text = form.replacing("?", with: text, maxReplacements: 1) }
    return parsed(text)
  }

  private func parsed(_ text: String) -> JSONTree { (try? JSONTree(parsing: text)) ?? .null }
}

extension JSONTree {
  /// The value and all values in it, in document order.
  fileprivate var parts: [JSONTree] { [self] + children.flatMap(\.parts) }
}

extension SeededGenerator {
  fileprivate mutating func next8() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}
