public import BinderyDigest
public import BinderyJSON

extension Shape where Value: Sendable {
  /// The shape of a type without parts, which is one scalar in JSON.
  ///
  /// Law: `decode` of what `encode` wrote gives a value that `encode` writes in the same way.
  ///
  /// - Parameters:
  ///   - name: what the schema calls it.
  ///   - schemaType: the JSON Schema type: `string`, `integer`, `number` or `boolean`.
  ///   - encode: writes the canonical JSON.
  ///   - decode: reads it; nil for what does not fit.
  @inlinable
  public static func scalar(
    _ name: String, schemaType: String, format: String? = nil, pattern: String? = nil, example: String,
    expected: String, encode: @escaping @Sendable (Value, inout JSONWriter) -> Void,
    decode: @escaping @Sendable (JSONNode) -> Value?
  ) -> Shape {
    let bytes: @Sendable (Value) -> [UInt8] = { value in
      var writer = JSONWriter()
      encode(value, &writer)
      return writer.bytes
    }
    return leaf(
      TypeInfo(
        name: name,
        kind: .scalar(Scalar(type: schemaType, format: format, pattern: pattern, example: example))),
      encode: encode,
      decode: { node throws(ValidationError) in
        guard let value = decode(node) else { throw .wrongType(node, expected: expected) }
        return value
      },
      areSame: { bytes($0) == bytes($1) })
  }

  /// The same where it is told faster whether two values have equal encodings.
  func compared(by areSame: @escaping @Sendable (Value, Value) -> Bool) -> Shape {
    var operations = operations
    operations.areSame = areSame
    return with(operations, type: type)
  }

  /// The same with a check of values that Swift code made and JSON could not.
  @inlinable
  func checked(_ check: @escaping @Sendable (Value) throws(ValidationError) -> Void) -> Shape {
    var operations = operations
    operations.check = { value, _ throws(ValidationError) in try check(value) }
    return with(operations, type: type)
  }

  @inlinable
  static func leaf(
    _ type: TypeInfo, encode: @escaping @Sendable (Value, inout JSONWriter) -> Void,
    decode: @escaping @Sendable (JSONNode) throws(ValidationError) -> Value,
    areSame: @escaping @Sendable (Value, Value) -> Bool
  ) -> Shape {
    Shape(
      type: type,
      operations: .init(
        encode: encode,
        decode: { node, _ throws(ValidationError) in try decode(node) },
        areSame: areSame,
        digest: { value, key in
          var writer = JSONWriter()
          encode(value, &writer)
          return key.leaf(writer.bytes.span)
        },
        check: { _, _ throws(ValidationError) in },
        visit: { _, _, index, _ throws(Absence) in throw lost(index) },
        edit: { value, edit throws(EditError) in
          switch edit.operation {
          case .merge(let node), .replace(let node), .insert(let node):
            do throws(ValidationError) { value = try decode(node) } catch { throw .invalid(error) }
          case .append: throw .invalid(.noCollection)
          case .remove: throw .invalid(.notRemovable)
          }
        },
        descend: { _, _, index, _ throws(EditError) in throw .absent(lost(index)) },
        construct: { _, index, _ throws(EditError) in throw .cannotCreate(depth: index) }))
  }
}
