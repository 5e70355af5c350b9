import BinderyAPI
import BinderyCore

extension OpenAPISchemas {
  static func scalar(_ scalar: Scalar, _ rules: [Rule]) -> OpenAPINode {
    var rules = rules
    if scalar.format == "int64" {
      // `format` alone forbids nothing.
      if !rules.contains(where: { if case .minimum = $0 { true } else { false } }) { rules.append(.minimum(.min)) }
      if !rules.contains(where: { if case .maximum = $0 { true } else { false } }) { rules.append(.maximum(.max)) }
    }
    if let pattern = scalar.pattern { rules.insert(.pattern(pattern), at: 0) }
    return ruled(
      ["type": .text(scalar.type), "format": scalar.format.map(OpenAPINode.text)], rules, counted: "Length")
  }

  /// The schema with the keywords of the rules.
  ///
  /// JSON Schema counts code points where the constraints count characters and bytes. A character may have any number
  /// of code points, so a limit on characters can only be told in words; a code point has at least one byte, so one on
  /// bytes is also one on code points. A schema forbids nothing that the service accepts.
  ///
  /// - Parameter counted: the end of the keywords that limit how many: `Length`, `Items` or `Properties`.
  static func ruled(_ node: OpenAPINode, _ rules: [Rule], counted: String) -> OpenAPINode {
    guard !rules.isEmpty else { return node }
    var limits: [OpenAPINode.Entry] = []
    var patterns: [String] = []
    var words: [String] = []
    for rule in rules {
      switch rule {
      case .minimum(let least): limits.append(.init(key: "minimum", value: .number(String(least))))
      case .maximum(let most): limits.append(.init(key: "maximum", value: .number(String(most))))
      case .minimumLength(let least), .minimumCount(let least):
        limits.append(.init(key: "min" + counted, value: .number(String(least))))
      case .maximumLength(let most):
        words.append("at most \(most) characters as people count them (extended grapheme clusters)")
      case .maximumCount(let most): limits.append(.init(key: "max" + counted, value: .number(String(most))))
      case .maximumBytes(let most):
        limits.append(.init(key: "maxLength", value: .number(String(most))))
        words.append("at most \(most) bytes of UTF-8")
      case .pattern(let pattern): patterns.append(pattern)
      case .described(let text): words.append(text)
      }
    }
    let description = words.joined(separator: ", ").capitalizedFirst
    let pattern: OpenAPINode =
      switch patterns.count {
      case 0: [:]
      case 1: ["pattern": .text(patterns[0])]
      default: ["allOf": .list(patterns.map { ["pattern": .text($0)] })]
      }
    let text: OpenAPINode = ["description": description.isEmpty ? nil : .text(description + ".")]
    return text.adding(node).adding(.object(limits)).adding(pattern)
  }
}
