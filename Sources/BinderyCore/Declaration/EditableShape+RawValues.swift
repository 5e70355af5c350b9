import BinderyJSON

extension EditableShape where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue: Editable {
  /// Creates the shape of an enum with raw values. Its JSON is the raw value; the schema lists all of them.
  ///
  ///     enum Size: String, CaseIterable, Editable {
  ///       case small, large
  ///       static let shape = EditableShape<Size>.rawValues()
  ///     }
  ///
  /// - Parameter name: The name of the type in the schema; by default the name of the Swift type.
  /// - Precondition: `allCases` is not empty, and the raw value is a scalar, such as a string or an integer.
  public static func rawValues(_ name: String = String(describing: Value.self)) -> EditableShape {
    let raw = Value.RawValue.resolveShape()
    let cases = Array(Value.allCases)
    if cases.isEmpty { fatalError("The shape of \(name) has no raw values: allCases is empty.") }
    let texts = cases.map { raw.text($0.rawValue) }
    return .scalar(
      raw.customType(name, format: nil, pattern: nil, values: texts, examples: texts), over: raw,
      expected: Spelling.choice(of: texts),
      encode: { $0.rawValue },
      // `init(rawValue:)` would compare strings by canonical equivalence.
      decode: { value in cases.first { raw.areSame($0.rawValue, value) } })
  }
}
