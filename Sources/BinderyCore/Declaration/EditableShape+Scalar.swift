import BinderyDigest
public import BinderyJSON

extension EditableShape where Value: Sendable {
  /// Creates the shape of a type without parts, which is one scalar in JSON.
  ///
  /// Round trip: if `decode` reads the output of `encode`, the resulting value must encode to the same bytes.
  /// `Generator` in BindingLaws supplies test values for known formats; for other formats it uses only `example`.
  ///
  /// - Parameters:
  ///   - name: The name of the type in the schema.
  ///   - schemaType: The JSON Schema type: `string`, `integer`, `number` or `boolean`.
  ///   - format: The JSON Schema format, such as `date`.
  ///   - contentEncoding: The JSON Schema content encoding of binary data in a string: `base64`.
  ///   - pattern: The JSON Schema pattern, an ECMA-262 regular expression.
  ///   - example: An example in canonical JSON.
  ///   - expected: A noun phrase for error messages, such as `a calendar date`.
  ///   - encode: Writes the canonical JSON.
  ///   - decode: Reads the JSON; returns nil if it does not fit.
  ///   - areSame: A faster test for equal encodings.
  @inlinable
  package static func scalar(
    _ name: String, schemaType: String, format: String? = nil, contentEncoding: String? = nil, pattern: String? = nil,
    example: String, expected: String, encode: @escaping @Sendable (Value, inout JSONWriter) -> Void,
    decode: @escaping @Sendable (JSONNode) -> Value?, areSame: (@Sendable (Value, Value) -> Bool)? = nil
  ) -> EditableShape {
    let bytes: @Sendable (Value) -> [UInt8] = { value in
      var writer = JSONWriter()
      encode(value, &writer)
      return writer.bytes
    }
    return leaf(
      TypeInfo(
        name: name,
        kind: .scalar(
          Scalar(
            type: schemaType, format: format, contentEncoding: contentEncoding, pattern: pattern, example: example))),
      encode: encode,
      decode: { node throws(ValidationError) in
        guard let value = decode(node) else { throw .wrongType(node, expected: expected) }
        return value
      },
      areSame: areSame ?? { bytes($0) == bytes($1) })
  }

  /// Returns this shape with a check for values that Swift code can create but JSON cannot express. A value that is
  /// still the checked one is not checked again, because the text of a URL can be long.
  func checked(_ check: @escaping @Sendable (Value) throws(ValidationError) -> Void) -> EditableShape {
    var operations = operations
    operations.check = { value, old throws(ValidationError) in
      if let old, haveSameBits(value, old) { return }
      try check(value)
    }
    return with(operations, type: type)
  }

  /// Creates a shape without parts from a description and its operations.
  @inlinable
  static func leaf(
    _ type: TypeInfo, encode: @escaping @Sendable (Value, inout JSONWriter) -> Void,
    decode: @escaping @Sendable (JSONNode) throws(ValidationError) -> Value,
    areSame: @escaping @Sendable (Value, Value) -> Bool
  ) -> EditableShape {
    EditableShape(
      type: type,
      operations: .init(
        encode: encode,
        decode: { node, _ throws(ValidationError) in try decode(node) },
        areSame: areSame,
        check: nil,
        visit: { _, _, index, _ throws(Absence) in throw mismatchedStep(index) },
        edit: { value, edit throws(EditError) in try replace(&value, edit, decode) },
        descend: { _, _, index, _ throws(EditError) in throw .absent(mismatchedStep(index)) },
        construct: { _, index, _ throws(EditError) in throw .cannotCreate(depth: index) }))
  }
}
