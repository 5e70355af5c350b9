import BinderyCore
import BinderyJSON

extension SchemaParser {
  mutating func notes(_ fields: Fields) -> Notes {
    Notes(title: text("title", of: fields), description: text("description", of: fields))
  }

  /// Takes a text.
  mutating func text(_ name: String, of fields: Fields) -> String? {
    guard let node = fields.take(name) else { return nil }
    if node.string == nil { fail("expected a string, got \(node.excerpt(maximum: 40))", at: fields.place(name)) }
    return node.string
  }

  /// Takes a flag, which is false if it is missing.
  mutating func flag(_ name: String, of fields: Fields) -> Bool {
    guard let node = fields.take(name) else { return false }
    if node.bool == nil { fail("expected true or false, got \(node.excerpt(maximum: 40))", at: fields.place(name)) }
    return node.bool ?? false
  }

  /// Takes a number of things.
  mutating func count(_ name: String, of fields: Fields) -> Int? {
    guard let node = fields.take(name) else { return nil }
    return count(node, at: fields.place(name))
  }

  private mutating func count(_ node: JSONNode, at pointer: String) -> Int? {
    guard case .value(let number) = node.integer(), number >= 0 else {
      fail("expected an integer of 64 bits ≥ 0, got \(node.excerpt(maximum: 40))", at: pointer)
      return nil
    }
    return Int(number)
  }

  /// Takes the limits of a count.
  mutating func limits(_ fields: Fields, _ minimum: String, _ maximum: String) -> CountLimits {
    let limits = CountLimits(minimum: count(minimum, of: fields), maximum: count(maximum, of: fields))
    if let least = limits.minimum, let most = limits.maximum, least > most {
      fail("\(least) is more than “\(maximum)”, which is \(most)", at: fields.place(minimum))
      return CountLimits()
    }
    return limits
  }

  // MARK: Strings

  mutating func string(_ fields: Fields) -> ScalarDeclaration {
    if fields.has("enum") || fields.has("const") { return choice(fields, .string) }
    var scalar = ScalarDeclaration(.string)
    if let format = text("format", of: fields) {
      let forms: KeyValuePairs<String, ScalarDeclaration.Form> = [
        "date-time": .dateTime, "date": .date, "uuid": .uuid, "uri": .uri, "duration": .duration,
      ]
      if let form = forms.first(where: { $0.key == format })?.value {
        scalar.form = form
      } else {
        fail("expected “date-time”, “date”, “uuid”, “uri” or “duration”, got “\(format)”", at: fields.place("format"))
      }
    }
    if let encoding = text("contentEncoding", of: fields) {
      scalar.form = .base64
      if encoding != "base64" { fail("expected “base64”, got “\(encoding)”", at: fields.place("contentEncoding")) }
    }
    if scalar.form == .string {
      scalar.length = limits(fields, "minLength", "maxLength")
      if let own = fields.own {
        scalar.characters = characters(own)
        scalar.maximumBytes = count("maxBytes", of: own)
        scalar.isNotBlank = flag("notBlank", of: own)
        scalar.hasNoControlCharacters = flag("noControlCharacters", of: own)
      }
    } else if scalar.form == .base64, let own = fields.own {
      scalar.length = limits(own, "minBytes", "maxBytes")
    }
    return scalar.with(reference: reference(fields), codeOf: fields, &mistakes)
  }

  /// Takes the limits of the number of characters: `[1, 100]`.
  private mutating func characters(_ own: Fields) -> CountLimits {
    guard let node = own.take("characters") else { return CountLimits() }
    let pointer = own.place("characters")
    let numbers = Array(node.elements)
    guard node.kind == .array, numbers.count == 2, let minimum = count(numbers[0], at: pointer + "/0"),
      let maximum = count(numbers[1], at: pointer + "/1"), minimum <= maximum
    else {
      fail("expected the least and the greatest number of characters, such as [1, 100]", at: pointer)
      return CountLimits()
    }
    return CountLimits(minimum: minimum, maximum: maximum)
  }

  /// Takes a list of allowed values.
  mutating func choice(_ fields: Fields, _ form: ScalarDeclaration.Form) -> ScalarDeclaration {
    var scalar = ScalarDeclaration(form)
    var nodes: [(JSONNode, String)] = []
    if let constant = fields.take("const") { nodes = [(constant, fields.place("const"))] }
    if let list = fields.take("enum") {
      if !nodes.isEmpty { fail("“const” and “enum” exclude each other", at: fields.place("const")) }
      if list.kind != .array || list.count == 0 {
        fail("expected an array with at least one value, got \(list.excerpt(maximum: 40))", at: fields.place("enum"))
      }
      nodes = list.elements.enumerated().map { ($1, fields.place("enum") + "/\($0)") }
    }
    var seen: Set<[UInt8]> = []
    for (node, pointer) in nodes {
      var writer = JSONWriter()
      switch (form, node.string, node.integer()) {
      case (.string, let text?, _): writer.string(text)
      case (.integer, _, .value(let number)): writer.integer(number)
      default:
        let advice = node.kind == .null ? "; for an optional, use “anyOf” with {\"type\": \"null\"}" : ""
        let expected = form == .string ? "a string" : "an integer"
        fail("expected \(expected), got \(node.excerpt(maximum: 40))\(advice)", at: pointer)
        continue
      }
      let value = String(decoding: writer.bytes, as: UTF8.self)
      if !seen.insert(writer.bytes).inserted { fail("duplicate value \(value)", at: pointer) }
      scalar.values.append(value)
    }
    return scalar.with(reference: reference(fields), codeOf: fields, &mistakes)
  }

  // MARK: Numbers

  mutating func integer(_ fields: Fields) -> ScalarDeclaration {
    if fields.has("enum") || fields.has("const") { return choice(fields, .integer) }
    var scalar = ScalarDeclaration(.integer)
    if let format = text("format", of: fields), format != "int64" {
      fail("expected “int64”, got “\(format)”", at: fields.place("format"))
    }
    let least = integerLimit("minimum", "exclusiveMinimum", adding: 1, fields)
    let most = integerLimit("maximum", "exclusiveMaximum", adding: -1, fields)
    if let least, let most, least > most {
      fail("no integer is within the limits", at: fields.pointer)
      return scalar
    }
    scalar.minimum = least.map { .init(String($0)) }
    scalar.maximum = most.map { .init(String($0)) }
    return scalar.with(reference: reference(fields), codeOf: fields, &mistakes)
  }

  private mutating func integerLimit(
    _ name: String, _ exclusiveName: String, adding step: Int64, _ fields: Fields
  ) -> Int64? {
    let isExclusive = fields.has(exclusiveName)
    let used = isExclusive ? exclusiveName : name
    guard let node = fields.take(used) else { return nil }
    if isExclusive, fields.take(name) != nil {
      fail("give only one of “\(name)” and “\(exclusiveName)”", at: fields.place(name))
    }
    guard case .value(let number) = node.integer() else {
      fail("expected an integer of 64 bits, got \(node.excerpt(maximum: 40))", at: fields.place(used))
      return nil
    }
    let (limit, overflows) = number.addingReportingOverflow(isExclusive ? step : 0)
    if overflows { fail("no integer is within this limit", at: fields.place(used)) }
    return limit
  }

  mutating func number(_ fields: Fields) -> ScalarDeclaration {
    var scalar = ScalarDeclaration(.number)
    if let format = text("format", of: fields) {
      if format == "float" { scalar.form = .float }
      if format != "float", format != "double" {
        fail("expected “double” or “float”, got “\(format)”", at: fields.place("format"))
      }
    }
    scalar.minimum = numberLimit("minimum", "exclusiveMinimum", fields, isFloat: scalar.form == .float)
    scalar.maximum = numberLimit("maximum", "exclusiveMaximum", fields, isFloat: scalar.form == .float)
    if let minimum = scalar.minimum, let maximum = scalar.maximum, let least = Double(minimum.text),
      let most = Double(maximum.text),
      minimum.isExclusive || maximum.isExclusive ? least >= most : least > most
    {
      fail("no number is within the limits", at: fields.pointer)
      (scalar.minimum, scalar.maximum) = (nil, nil)
    }
    return scalar.with(reference: nil, codeOf: fields, &mistakes)
  }

  private mutating func numberLimit(
    _ name: String, _ exclusiveName: String, _ fields: Fields, isFloat: Bool
  ) -> Bound? {
    let isExclusive = fields.has(exclusiveName)
    let used = isExclusive ? exclusiveName : name
    guard let node = fields.take(used) else { return nil }
    if isExclusive, fields.take(name) != nil {
      fail("give only one of “\(name)” and “\(exclusiveName)”", at: fields.place(name))
    }
    var writer = JSONWriter()
    if isFloat, let number = node.float {
      writer.float(number)
    } else if !isFloat, let number = node.double {
      writer.double(number)
    } else {
      fail("expected a number, got \(node.excerpt(maximum: 40))", at: fields.place(used))
      return nil
    }
    return .init(String(decoding: writer.bytes, as: UTF8.self), isExclusive: isExclusive)
  }
}

extension ScalarDeclaration {
  /// Returns this declaration with a reference and, for a model in Swift, the code that it needs.
  func with(
    reference: ReferenceDeclaration? = nil, codeOf fields: Fields, _ mistakes: inout [ModelMistake]
  ) -> ScalarDeclaration {
    var copy = self
    copy.reference = reference
    guard let own = fields.own, let node = own.take("swift") else { return copy }
    if node.string == nil { mistakes.append(ModelMistake("expected a string", at: own.place("swift"))) }
    copy.code = node.string
    return copy
  }
}
