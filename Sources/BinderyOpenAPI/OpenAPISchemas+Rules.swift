import BinderyAPI
import BinderyCore
import BinderyJSON

extension OpenAPISchemas {
  /// Returns the schema of a scalar with its format and rules.
  static func scalar(_ scalar: Scalar, _ rules: [Rule]) -> JSONTree {
    var rules = rules
    if scalar.format == "int64", scalar.values.isEmpty {
      // `format` is only an annotation in JSON Schema, so the range of Int64 needs explicit limits.
      let limits = NumberLimits(rules)
      if limits.minimum == nil { rules.append(.minimum(Bound(Int.min))) }
      if limits.maximum == nil { rules.append(.maximum(Bound(Int.max))) }
    }
    if let pattern = scalar.pattern { rules.insert(.pattern(pattern), at: 0) }
    if scalar.contentEncoding == "base64" { rules = rules.compactMap(\.inBase64) }
    let values = scalar.values.map { JSONTree(json: Array($0.utf8)) }
    return ruled(
      [
        "type": scalar.type.map(JSONTree.string), "format": scalar.format.map(JSONTree.string),
        "contentEncoding": scalar.contentEncoding.map(JSONTree.string), "enum": values.isEmpty ? nil : .array(values),
      ], rules, counted: "Length")
  }

  /// Returns the schema with the keywords of the rules.
  ///
  /// A schema must not forbid a value that the service accepts. JSON Schema counts code points, while the constraints
  /// count characters and bytes. A character can have any number of code points, so a maximum of characters is only in
  /// the description. A code point has at least one byte, so a maximum of bytes is also a maximum of code points.
  ///
  /// - Parameter counted: The suffix of the keywords that limit a count: `Length`, `Items` or `Properties`.
  static func ruled(_ node: JSONTree, _ rules: [Rule], counted: String) -> JSONTree {
    var limits: [JSONTree.Member] = []
    var patterns: [String] = []
    var codePoints = Int.max
    for rule in rules {
      switch rule {
      case .minimum(let bound):
        limits.append(.init(key: bound.isExclusive ? "exclusiveMinimum" : "minimum", value: .number(bound.text)))
      case .maximum(let bound):
        limits.append(.init(key: bound.isExclusive ? "exclusiveMaximum" : "maximum", value: .number(bound.text)))
      case .minimumLength(let minimum), .minimumCodePoints(let minimum), .minimumCount(let minimum):
        limits.append(.init(key: "min" + counted, value: .number(String(minimum))))
      case .maximumCount(let maximum): limits.append(.init(key: "max" + counted, value: .number(String(maximum))))
      case .maximumCodePoints(let maximum), .maximumBytes(let maximum): codePoints = min(codePoints, maximum)
      case .pattern(let pattern): patterns.append(pattern)
      case .maximumLength, .described: break
      }
    }
    if codePoints < .max { limits.append(.init(key: "maxLength", value: .number(String(codePoints)))) }
    return node.adding(.object(limits)).adding(["pattern": pattern(patterns).map(JSONTree.string)])
  }

  /// Returns an ECMA-262 pattern of the texts that match all patterns; nil if there are none.
  ///
  /// `allOf` would say the same, but not every code generator accepts it in the schema of a string.
  private static func pattern(_ patterns: [String]) -> String? {
    guard patterns.count > 1 else { return patterns.first }
    return "^" + patterns.map { #"(?=[\s\S]*(?:\#($0)))"# }.joined()
  }
}

extension Scalar {
  /// Whether the JSON Schema type says everything about the values.
  var isPlain: Bool {
    format == nil && pattern == nil && contentEncoding == nil && values.isEmpty && !isCustom
  }
}

extension Rule {
  /// The rule for the length of the text, if this rule limits the number of bytes that the text encodes in base64; nil
  /// if the text would be too long to count.
  fileprivate var inBase64: Rule? {
    /// Returns the length of the text for a number of bytes: four characters for each three bytes (RFC 4648 §4).
    func length(_ count: Int) -> Int? {
      let (length, overflows) = (count / 3 + (count % 3 == 0 ? 0 : 1)).multipliedReportingOverflow(by: 4)
      return overflows ? nil : length
    }
    switch self {
    case .minimumCount(let count): return length(count).map(Rule.minimumCount)
    case .maximumCount(let count): return length(count).map(Rule.maximumCount)
    default: return self
    }
  }
}
