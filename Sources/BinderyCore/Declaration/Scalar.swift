/// The schema of a type without parts.
@usableFromInline
package struct Scalar: Sendable {
  /// The JSON Schema type: `string`, `integer`, `number` or `boolean`; nil for any JSON value.
  package let type: String?
  /// The JSON Schema format, such as `date`.
  package let format: String?
  /// The JSON Schema content encoding of binary data in a string: `base64`.
  package let contentEncoding: String?
  /// The JSON Schema pattern, an ECMA-262 regular expression.
  package let pattern: String?
  /// The allowed values in canonical JSON; empty if the other keywords describe them.
  package let values: [String]
  /// Examples in canonical JSON: at least one.
  package let examples: [String]
  /// Whether the examples are the only known valid values, because a custom type decides what is valid.
  package let isCustom: Bool

  /// An example in canonical JSON.
  package var example: String { examples[0] }

  @usableFromInline
  package init(
    type: String?, format: String? = nil, contentEncoding: String? = nil, pattern: String? = nil, example: String
  ) {
    self.type = type
    self.format = format
    self.contentEncoding = contentEncoding
    self.pattern = pattern
    self.values = []
    self.examples = [example]
    self.isCustom = false
  }

  /// Creates the schema of a custom type that has the JSON of another scalar.
  ///
  /// - Parameters:
  ///   - format: Replaces the format of the other scalar, unless nil.
  ///   - values: The allowed values in canonical JSON; empty if the type has no list of them.
  package init(custom base: Scalar, format: String?, pattern: String?, values: [String], examples: [String]) {
    self.type = base.type
    self.format = format ?? base.format
    self.contentEncoding = base.contentEncoding
    self.pattern = pattern ?? base.pattern
    self.values = values
    self.examples = examples
    self.isCustom = true
  }
}
