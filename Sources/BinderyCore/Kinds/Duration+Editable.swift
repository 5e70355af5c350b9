import BinderyJSON

/// In JSON, a duration is an ISO 8601 string such as `"PT1.5S"`, `"PT36H"` or `"-PT0.001S"`.
///
/// The canonical form has hours, minutes and seconds, each only if it is not zero; zero is `"PT0S"`. Weeks and days are
/// accepted as 7 × 24 and 24 hours; years and months, whose lengths vary, are not. Durations are compared by whole
/// nanoseconds.
extension Duration: Editable {
  /// A string: an ISO 8601 duration with at most nanoseconds, such as `PT1.5S`.
  public static let shape = EditableShape<Duration>.scalar(
    "Duration", schemaType: "string", format: "duration",
    pattern: #"^-?P(?=.)([0-9]+W)?([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]{1,9}0*)?S)?)?$"#,
    example: "\"PT1.5S\"",
    expected: "an ISO 8601 duration of weeks, days, hours, minutes and seconds with at most nanoseconds, "
      + "such as \"PT1.5S\"",
    encode: { $1.string(ISO8601Duration($0).text) },
    decode: { $0.string.flatMap { ISO8601Duration($0) }?.duration },
    areSame: { ISO8601Duration($0) == ISO8601Duration($1) })
}

extension Constraint where Value == Duration {
  /// Requires a duration in a range.
  public static func within(_ range: ClosedRange<Duration>) -> Constraint {
    let (lower, upper) = (ISO8601Duration(range.lowerBound).text, ISO8601Duration(range.upperBound).text)
    return Constraint("a duration from \(lower) to \(upper)") { range.contains($0) }
  }
}
