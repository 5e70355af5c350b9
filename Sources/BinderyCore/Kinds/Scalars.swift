import BinderyJSON
public import FoundationEssentials

extension Bool: Editable {
  /// `true` or `false`.
  public static let shape = EditableShape<Bool>.scalar(
    "Bool", schemaType: "boolean", example: "true", expected: "a boolean (true or false)",
    encode: { $1.bool($0) }, decode: { $0.bool }, areSame: { $0 == $1 })
}

extension Int: Editable {
  /// An integer. Numbers with a fraction and those outside 64 bits are rejected.
  public static let shape = EditableShape<Int>.leaf(
    TypeInfo(name: "Int", kind: .scalar(Scalar(type: "integer", format: "int64", example: "3"))),
    encode: { $1.integer(Int64($0)) },
    decode: { node throws(ValidationError) in
      switch node.integer() {
      case .value(let value): return Int(value)
      case .outOfRange: throw .wrongType(node, expected: "an integer from -9223372036854775808 to 9223372036854775807")
      case .fractional, .notANumber: throw .wrongType(node, expected: "an integer")
      }
    },
    areSame: { $0 == $1 })
}

/// JSON has no NaN and no infinities, so a commit with one of them is rejected.
extension Double: Editable {
  /// The shortest decimal that reads back as the same number. NaN and infinities are rejected.
  public static let shape = EditableShape<Double>.floatingPoint(
    format: "double", encode: { $1.double($0) }, decode: { $0.double })
}

/// JSON has no NaN and no infinities, so a commit with one of them is rejected.
extension Float: Editable {
  /// The shortest decimal that reads back as the same number. NaN and infinities are rejected.
  public static let shape = EditableShape<Float>.floatingPoint(
    format: "float", encode: { $1.float($0) }, decode: { $0.float })
}

extension EditableShape where Value: BinaryFloatingPoint & Sendable {
  /// Creates the shape of a floating-point type.
  ///
  /// - Parameter encode: Writes a finite number.
  fileprivate static func floatingPoint(
    format: String, encode: @escaping @Sendable (Value, inout JSONWriter) -> Void,
    decode: @escaping @Sendable (JSONNode) -> Value?
  ) -> EditableShape {
    let shape = leaf(
      TypeInfo(
        name: String(describing: Value.self), kind: .scalar(Scalar(type: "number", format: format, example: "1.5"))),
      encode: { value, writer in value.isFinite ? encode(value, &writer) : writer.null() },
      decode: { node throws(ValidationError) in
        guard node.kind == .number else { throw .wrongType(node, expected: "a number") }
        guard let value = decode(node) else {
          let limit = Value.greatestFiniteMagnitude
          throw .wrongType(node, expected: "a number from -\(limit) to \(limit)")
        }
        return value
      },
      // Minus zero equals zero, but has another JSON form.
      areSame: { a, b in a == b ? a.sign == b.sign : !a.isFinite && !b.isFinite }
    ).checked { value throws(ValidationError) in
      guard value.isFinite else {
        throw ValidationError(.value, "\(value) cannot be represented in JSON", expected: "a finite number")
      }
    }
    var operations = shape.operations
    operations.matches = { value, node, comparison in
      // A getter may return a number that is not finite: it is null in JSON, which a client can send back.
      if node.isNull { return !value.isFinite }
      guard node.kind == .number, let sent = decode(node), value == sent else { return false }
      // The `test` of JSON Patch compares numbers by their values (RFC 6902 §4.6), and minus zero equals zero.
      return comparison.omission == .none || value.sign == sent.sign
    }
    return shape.with(operations, type: shape.type)
  }
}

extension String: Editable {
  /// A string. Two strings are the same if their UTF-8 bytes are.
  public static let shape = EditableShape<String>.leaf(
    TypeInfo(name: "String", kind: .scalar(Scalar(type: "string", example: "\"text\""))),
    encode: { $1.string($0) },
    decode: { node throws(ValidationError) in
      guard let text = node.string else { throw .wrongType(node, expected: "a string") }
      return text
    },
    areSame: { $0.isSame(as: $1) })
}

extension UUID: Editable {
  /// A string in lower case; read in either case.
  public static let shape = EditableShape<UUID>.scalar(
    "UUID", schemaType: "string", format: "uuid",
    pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
    example: "\"0d8ae6a1-6a4c-4f6e-8a25-5f3b1c2d9e01\"",
    expected: "a UUID",
    encode: { id, writer in writer.string(plainLength: UUID.textLength) { $0.append(textOf: id) } },
    decode: { $0.string.flatMap { UUID.key(from: $0) } }, areSame: { UUID._areSame($0, $1) })
}

/// In JSON, a date is an RFC 3339 `date-time` in UTC with milliseconds, in the years 1 to 9999. Dates are compared by
/// whole milliseconds, and rounded to them when they are stored. `Date.distantPast` is stored as the first moment of
/// the year 1.
extension Date: Editable {
  /// A string: RFC 3339 in UTC, with milliseconds.
  public static let shape = EditableShape<Date>.scalar(
    "Date", schemaType: "string", format: "date-time",
    pattern: #"^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"#
      + #"(\.[0-9]{1,3}0*)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"#,
    example: "\"2026-11-21T19:00:00.000Z\"",
    expected: "an RFC 3339 date and time such as 2026-11-21T19:00:00Z, with at most milliseconds",
    encode: { $1.string(Timestamp($0).text) }, decode: { $0.string.flatMap { Timestamp($0) }?.date },
    areSame: { Timestamp($0) == Timestamp($1) }
  ).checked { date throws(ValidationError) in
    guard Timestamp.contains(date) else {
      throw ValidationError(
        .value, "\(date.timeIntervalSince1970) seconds since 1970 have no JSON form", expected: "the years 1 to 9999")
    }
  }
}

extension CalendarDay: Editable {
  /// A string: the RFC 3339 `full-date`, such as `2026-11-21`.
  public static let shape = EditableShape<CalendarDay>.scalar(
    "Day", schemaType: "string", format: "date", pattern: "^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    example: "\"2026-11-21\"", expected: "an RFC 3339 date, such as 2026-11-21",
    encode: { $1.string($0.description) },
    decode: { $0.string.flatMap { CalendarDay($0) } }, areSame: { $0 == $1 })
}
