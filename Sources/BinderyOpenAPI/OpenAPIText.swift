import BinderyCore

/// Texts that describe types: noun phrases made from kinds, formats and constraints.
enum OpenAPIText {
  /// Returns the noun phrase for one value: `a string of 1 to 100 characters, not blank`.
  static func noun(_ type: TypeInfo) -> String {
    switch type.kind {
    case .scalar(let scalar): return scalar.nouns(named: type.name).singular + suffix(type.rules, scalar.unit)
    case .product: return "a `\(type.name)`" + suffix(type.rules, "members")
    case .sum(let cases):
      return "a `\(type.name)`: " + list(cases.map { "`\($0.name)`" }, "or") + suffix(type.rules, "")
    case .optional(let wrapped):
      if case .optional = wrapped.kind { return "null or `{\"some\": VALUE}`, where VALUE is \(noun(wrapped))" }
      return "\(noun(wrapped)), or null"
    case .elements(let element, _): return "a list of \(plural(element)) with ids" + suffix(type.rules, "elements")
    case .array(let element): return "an array of \(plural(element))" + suffix(type.rules, "elements")
    case .set(let element): return "a set of \(plural(element))" + suffix(type.rules, "elements")
    case .dictionary(let entry, _): return "a dictionary of \(plural(entry))" + suffix(type.rules, "entries")
    }
  }

  private static func plural(_ type: TypeInfo) -> String {
    switch type.kind {
    case .scalar(let scalar): scalar.nouns(named: type.name).plural
    case .product, .sum: "`\(type.name)` values"
    case .optional(let wrapped): "\(plural(wrapped)) or null"
    case .elements(let element, _): "lists of \(plural(element))"
    case .array(let element): "arrays of \(plural(element))"
    case .set(let element): "sets of \(plural(element))"
    case .dictionary(let entry, _): "dictionaries of \(plural(entry))"
    }
  }

  /// Returns where the value of a computed member comes from, without hidden members.
  static func origin(of member: Int, in product: ProductInfo) -> String {
    guard let sources = product.sources(of: member) else { return "Computed from the other members." }
    let names = sources.map { product.members[$0] }.filter { $0.role != .hidden }.map { "`\($0.name)`" }
    return names.isEmpty ? "Computed." : "Computed from \(list(names, "and"))."
  }

  /// Joins words: `a, b and c`.
  static func list(_ words: [String], _ conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
  }

  /// Returns the constraints after the noun.
  ///
  /// - Parameter unit: What the length and count limits count.
  private static func suffix(_ rules: [Rule], _ unit: String) -> String {
    var least: Int?
    var most: Int?
    var others: [String] = []
    for rule in rules {
      switch rule {
      case .minimumLength(let count), .minimumCodePoints(let count), .minimumCount(let count): least = count
      case .maximumLength(let count), .maximumCodePoints(let count), .maximumCount(let count): most = count
      case .maximumBytes(let count): others.append("at most \(count) bytes of UTF-8")
      case .described(let text): others.append(text)
      case .minimum, .maximum, .pattern: break
      }
    }
    var text = ""
    switch (least, most) {
    case (let least?, let most?): text += least == most ? " of \(least) \(unit)" : " of \(least) to \(most) \(unit)"
    case (let least?, nil): text += " of at least \(least) \(unit)"
    case (nil, let most?): text += " of at most \(most) \(unit)"
    case (nil, nil): break
    }
    text += limits(NumberLimits(rules))
    return others.reduce(text) { $0 + ", " + $1 }
  }

  /// Returns the limits of a number after the noun.
  private static func limits(_ limits: NumberLimits) -> String {
    if let minimum = limits.minimum, let maximum = limits.maximum, !minimum.isExclusive, !maximum.isExclusive {
      return " from \(minimum.text) to \(maximum.text)"
    }
    let texts = [
      limits.minimum.map { ($0.isExclusive ? "> " : "≥ ") + $0.text },
      limits.maximum.map { ($0.isExclusive ? "< " : "≤ ") + $0.text },
    ].compactMap(\.self)
    return texts.isEmpty ? "" : " " + texts.joined(separator: " and ")
  }
}

extension Scalar {
  /// The nouns for one and for several values.
  ///
  /// - Parameter name: The name of the type.
  fileprivate func nouns(named name: String) -> (singular: String, plural: String) {
    if !values.isEmpty {
      return ("one of " + OpenAPIText.list(values.map { "`\($0)`" }, "and"), "`\(name)` values")
    }
    if isCustom { return ("a `\(name)`", "`\(name)` values") }
    if contentEncoding != nil { return ("data in base64", "texts in base64") }
    switch (format, type) {
    case ("date-time", _): return ("a date and time (RFC 3339 in UTC, with milliseconds)", "dates and times (RFC 3339)")
    case ("date", _): return ("a date", "dates")
    case ("uuid", _): return ("a UUID", "UUIDs")
    case ("uri", _): return ("an absolute URL (RFC 3986)", "absolute URLs (RFC 3986)")
    case ("duration", _): return ("a duration (ISO 8601)", "durations (ISO 8601)")
    case (_, "integer"): return ("an integer", "integers")
    case (_, "number"): return ("a number", "numbers")
    case (_, "boolean"): return ("true or false", "booleans")
    case (_, "string"): return ("a string", "strings")
    default: return ("a `\(name)`", "`\(name)` values")
    }
  }

  /// The unit of the limits of the length.
  fileprivate var unit: String { contentEncoding == nil ? "characters" : "bytes" }
}

extension String {
  /// The phrase as a sentence.
  var asSentence: String { capitalizedFirst + "." }
}
