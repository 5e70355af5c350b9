public import BinderyJSON

extension EditableShape where Value: Sendable {
  /// Creates the shape of a type of your own that is written as another scalar: a string, a number, a Boolean, or any
  /// other type with one scalar in JSON.
  ///
  ///     struct Color: Editable {
  ///       let red, green, blue: UInt8
  ///       var hex: String { … }
  ///       init?(hex: String) { … }
  ///       static let shape = EditableShape<Color>.scalar(
  ///         "Color", as: String.self, pattern: "^#[0-9a-f]{6}$", examples: ["#ff8800", "#000000"],
  ///         expected: "a color such as #ff8800", encode: \.hex, decode: Color.init(hex:))
  ///     }
  ///
  /// Two values are the same if `encode` returns the same JSON for both. A value from Swift code that `decode` rejects
  /// is rejected at commit.
  ///
  /// - Parameters:
  ///   - name: The name of the type in the schema.
  ///   - scalar: The type in JSON.
  ///   - constraints: The conditions on the value in JSON, which appear in the schema.
  ///   - format: The JSON Schema format; by default that of `scalar`.
  ///   - pattern: The JSON Schema pattern, an ECMA-262 regular expression. It documents what `decode` accepts.
  ///   - examples: Valid values, for the schema and for `BindingLaws`: a typical one first, then limits and unusual
  ///     values.
  ///   - expected: The valid values, as a noun phrase for error messages.
  ///   - encode: Returns the value in JSON.
  ///   - decode: Creates a value; returns nil for a value in JSON that is not valid.
  /// - Precondition: `scalar` has no parts, there is at least one example, and each example is valid.
  @inlinable
  public static func scalar<Encoded: Editable>(
    _ name: String, as scalar: Encoded.Type, _ constraints: Constraint<Encoded>..., format: String? = nil,
    pattern: String? = nil, examples: [Encoded], expected: String,
    encode: @escaping @Sendable (Value) -> Encoded, decode: @escaping @Sendable (Encoded) -> Value?
  ) -> EditableShape {
    let base = Encoded.resolveShape().constrained(by: constraints)
    let texts = examples.map { base.text($0) }
    let shape = self.scalar(
      base.customType(name, format: format, pattern: pattern, values: [], examples: texts), over: base,
      expected: expected, encode: encode, decode: decode)
    if texts.isEmpty { missingExamples(of: name) }
    for (example, text) in zip(examples, texts) {
      let value = decode(example)
      let isValid = value.map { (try? shape.check($0)) != nil && base.areSame(encode($0), example) } ?? false
      if !isValid { invalidExample(text, of: name) }
    }
    return shape
  }

  /// Creates the shape of a type that is written as another scalar.
  ///
  /// - Parameters:
  ///   - type: The description of the new type.
  ///   - base: The shape of the type in JSON.
  @inlinable
  static func scalar<Encoded: Sendable>(
    _ type: TypeInfo, over base: EditableShape<Encoded>, expected: String,
    encode: @escaping @Sendable (Value) -> Encoded, decode: @escaping @Sendable (Encoded) -> Value?
  ) -> EditableShape {
    let leaf = leaf(
      type,
      encode: { value, writer in base.encode(encode(value), into: &writer) },
      decode: { node throws(ValidationError) in
        var decoding = Decoding(.complete)
        guard let value = decode(try base.decode(node, &decoding)) else { throw .wrongType(node, expected: expected) }
        return value
      },
      areSame: { a, b in base.areSame(encode(a), encode(b)) })
    var operations = leaf.operations
    operations.decode = { node, decoding throws(ValidationError) in
      guard let value = decode(try base.decode(node, &decoding)) else { throw .wrongType(node, expected: expected) }
      return value
    }
    operations.check = { value, old throws(ValidationError) in
      let encoded = encode(value)
      if let old, base.areSame(encoded, encode(old)) { return }
      try base.check(encoded)
      guard let copy = decode(encoded), base.areSame(encode(copy), encoded) else {
        throw leaf.violation(of: value, expected)
      }
    }
    return leaf.with(operations, type: leaf.type)
  }
}

extension EditableShape {
  /// Returns a value as canonical JSON text.
  @usableFromInline
  func text(_ value: Value) -> String { String(decoding: json(value), as: UTF8.self) }

  /// Returns a closure that creates a value and returns its canonical JSON.
  @usableFromInline
  func json(of make: (@Sendable () -> Value)?) -> (@Sendable () -> [UInt8])? where Value: Sendable {
    guard let make else { return nil }
    return { [self] in Array(text(make()).utf8) }
  }

  /// Returns the description of a custom type that has the JSON of this scalar.
  ///
  /// - Parameters:
  ///   - values: The allowed values in canonical JSON; empty if there is no list of them.
  ///   - examples: Valid values in canonical JSON.
  @usableFromInline
  func customType(_ name: String, format: String?, pattern: String?, values: [String], examples: [String]) -> TypeInfo {
    guard case .scalar(let scalar) = type.kind else {
      fatalError("The scalar \(name) is written as \(type.name), which has parts. Use a type such as String or Int.")
    }
    let custom = Scalar(custom: scalar, format: format, pattern: pattern, values: values, examples: examples)
    return TypeInfo(name: name, kind: .scalar(custom), rules: type.rules)
  }

  /// Stops the process if the default of a member breaks a constraint. Every new struct would have such a value, and a
  /// store with it could not be opened.
  @usableFromInline
  func requireValid(_ fallback: @Sendable () -> Value, of member: MemberInfo, in root: Any.Type) {
    // A new id may be counted, and cannot break a constraint.
    guard needsCheck, member.role != .identity else { return }
    do throws(ValidationError) { try check(fallback()) } catch {
      fatalError("The default of “\(member.name)” in \(root) breaks its constraint: \(error). Correct one of them.")
    }
  }
}

/// Stops the process because a custom scalar has no examples.
@usableFromInline
func missingExamples(of name: String) -> Never {
  fatalError("The scalar \(name) has no examples. Pass at least one valid value.")
}

/// Stops the process because an example of a custom scalar is not valid.
@usableFromInline
func invalidExample(_ text: String, of name: String) -> Never {
  fatalError("\(text) is an example of the scalar \(name), but does not decode and encode to itself. Correct it.")
}
