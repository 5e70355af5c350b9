import BinderyJSON

extension TypeInfo {
  /// Examples of the type in JSON, for checking a declaration: different values if the type has more than one.
  ///
  /// Constraints in words may reject some of them.
  var examples: [String] {
    switch kind {
    case .scalar(let scalar): scalar.examples(rules)
    case .optional(let wrapped):
      if case .optional = wrapped.kind {
        ["null"] + wrapped.examples.map { #"{"some":\#($0)}"# }
      } else {
        ["null"] + wrapped.examples
      }
    case .array(let element), .set(let element), .elements(let element, _):
      ["[]"] + element.examples.prefix(2).map { "[\($0)]" }
    case .dictionary(let value, let key):
      ["{}"]
        + zip(key.type.examples.compactMap { key.text(ofJSON: $0) }, value.examples).map {
          "{\(Self.quoted($0)):\($1)}"
        }
    case .sum(let cases):
      cases.flatMap { part in
        part.payload.map { $0.examples.prefix(2).map { "{\(Self.quoted(part.name)):\($0)}" } }
          ?? [Self.quoted(part.name)]
      }
    case .product(let product): product.examples
    }
  }

  fileprivate static func quoted(_ text: String) -> String { String(decoding: JSONWriter.quoted(text), as: UTF8.self) }
}

extension KeyInfo {
  /// Returns the text of the key that JSON describes; nil if it is not a valid key.
  package func text(ofJSON json: String) -> String? {
    (try? JSONDocument(parsing: Array(json.utf8))).flatMap { textOfJSON($0.root) }
  }

  /// The type in JSON Schema, such as `integer`, or the format of a string, such as `uuid`.
  package var typeName: String {
    guard case .scalar(let scalar) = type.kind, let name = scalar.type else { return type.name }
    return name == "string" ? scalar.format ?? name : name
  }

  /// The form of a text that is a key, in words.
  package var expectation: String {
    guard case .scalar(let scalar) = type.kind else { return "a key of type \(typeName)" }
    // An empty text is no segment of a URL, and so no key.
    let values = scalar.values.compactMap { text(ofJSON: $0) }.filter { !$0.isEmpty }
    guard values.isEmpty else { return Spelling.choice(of: values) }
    guard let example = text(ofJSON: scalar.example) else { return "a key of type \(typeName)" }
    // A key that differs from its JSON is not of the type in the schema.
    let isSame = [example, TypeInfo.quoted(example)].contains(scalar.example)
    return "a key of type \(isSame ? typeName : type.name), such as \(example)"
  }
}

extension ProductInfo {
  /// An object with the first example of each member, and the same object with another example of one member.
  fileprivate var examples: [String] {
    let visible = members.filter { !$0.isComputed && $0.role != .hidden }
    let values = visible.map(\.type.examples)
    guard values.allSatisfy({ !$0.isEmpty }) else { return [] }
    let varied = values.firstIndex { $0.count > 1 }
    let choices =
      varied.map { index in values[index].prefix(3).map { (index, $0) } } ?? [(0, values.first?.first ?? "")]
    return choices.map { changed, example in
      let members = visible.indices.map { index in
        "\(TypeInfo.quoted(visible[index].name)):\(index == changed ? example : values[index][0])"
      }
      return "{\(members.joined(separator: ","))}"
    }
  }
}

extension Scalar {
  /// Examples that the rules allow, as far as they can be evaluated.
  fileprivate func examples(_ rules: [Rule]) -> [String] {
    if isCustom { return examples }
    switch (type, format ?? contentEncoding) {
    case ("boolean", _): return ["false", "true"]
    case ("integer", _), ("number", _):
      let limits = NumberLimits(rules)
      let numbers = examples + ["0", "1", "7"] + limits.examples.filter { type == "number" || Int($0) != nil }
      return numbers.filter(limits.contain)
    case ("string", "uuid"): return examples + ["\"0d8ae6a1-6a4c-4f6e-8a25-5f3b1c2d9e02\""]
    case ("string", "date-time"): return examples + ["\"2001-01-01T00:00:00.000Z\""]
    case ("string", "date"): return examples + ["\"2001-01-01\""]
    case ("string", "duration"): return examples + ["\"PT0S\"", "\"PT1S\"", "\"PT1M\""]
    case ("string", "uri"): return examples + ["\"https://example.com/a\""]
    case ("string", "base64"): return examples + ["\"\"", "\"AQ==\""]
    default:
      var minimum = 1
      for rule in rules {
        switch rule {
        case .minimumLength(let length), .minimumCodePoints(let length): minimum = max(minimum, length)
        default: continue
        }
      }
      return ["a", "b"].map { "\"\(String(repeating: $0, count: minimum))\"" } + examples
    }
  }
}
