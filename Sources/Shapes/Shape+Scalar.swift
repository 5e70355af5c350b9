import Bindings
import Digests
public import JSON

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
      decode: { node throws(Invalid) in
        guard let value = decode(node) else { throw .wrongType(node, expected: expected) }
        return value
      },
      areSame: { bytes($0) == bytes($1) })
  }

  /// The same where two values have equal encodings exactly when they are equal, which is told faster.
  func comparedByEquality() -> Shape where Value: Equatable & SendableMetatype {
    var operations = operations
    operations.areSame = { $0 == $1 }
    return with(operations, type: type)
  }

  /// The same with a check of values that Swift code made and JSON could not.
  func checked(_ check: @escaping @Sendable (Value) throws(Invalid) -> Void) -> Shape {
    var operations = operations
    operations.check = { value, _ throws(Invalid) in try check(value) }
    return with(operations, type: type)
  }

  static func leaf(
    _ type: TypeInfo, encode: @escaping @Sendable (Value, inout JSONWriter) -> Void,
    decode: @escaping @Sendable (JSONNode) throws(Invalid) -> Value,
    areSame: @escaping @Sendable (Value, Value) -> Bool
  ) -> Shape {
    Shape(
      type: type,
      operations: .init(
        encode: encode,
        decode: { node, _ throws(Invalid) in try decode(node) },
        areSame: areSame,
        digest: { value, key in
          var writer = JSONWriter()
          encode(value, &writer)
          return key.leaf(writer.bytes.span)
        },
        check: { _, _ throws(Invalid) in },
        visit: { _, _, index, _ throws(Absence) in throw lost(index) },
        edit: { value, edit throws(Refusal) in
          switch edit.operation {
          case .merge(let node), .replace(let node), .insert(let node):
            do throws(Invalid) { value = try decode(node) } catch { throw .invalid(error) }
          case .append: throw .invalid(Invalid(.value, "this place is no collection"))
          case .remove: throw .invalid(Invalid(.notRemovable, "this place cannot be empty"))
          }
        },
        descend: { _, _, index, _ throws(Refusal) in throw .absent(lost(index)) },
        construct: { _, index, _ throws(Refusal) in throw .cannotCreate(depth: index) }))
  }
}
