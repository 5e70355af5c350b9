/// A type whose parts have paths.
///
/// It declares its members or cases once, in ``shape``. Paths, JSON, schema, validation and typed bindings are derived
/// from that declaration.
///
/// These types conform already:
///
/// | Swift | JSON |
/// |---|---|
/// | `Bool`, `Int`, `String` | `true`, `3`, `"text"`; strings are compared by bytes |
/// | `Double`, `Float` | the shortest decimal that reads back; NaN and infinities are rejected |
/// | `Date` | RFC 3339 in UTC with milliseconds: `"2026-11-21T19:00:00.000Z"` |
/// | ``CalendarDay`` | `"2026-11-21"` |
/// | `Duration` | ISO 8601 with at most nanoseconds: `"PT1.5S"`, `"-PT36H"` |
/// | `UUID` | lower case; read in either case |
/// | `URL` | an absolute URL of RFC 3986, kept as written |
/// | `Data` | base64 with padding (RFC 4648): `"AQI="` |
/// | `Optional`, to any depth | `null` or the value; one `{"some": …}` per additional layer |
/// | `Array` | an array; its elements have no URLs |
/// | `Set` | an array without duplicates, sorted by the bytes of its elements' JSON; written as a whole |
/// | ``Identified`` | an array of elements with ids, which have URLs |
/// | `Dictionary` | an object; keys are `String`, `Int`, `UUID`, ``CalendarDay`` or a ``PathKey`` of your own |
///
/// These declarations make a type of your own conform:
///
/// - A struct is an object: ``EditableShape/members(_:_:computed:)``.
/// - An enum is `"idle"`, or `{"custom": …}` with a payload: ``EditableShape/cases(_:)``.
/// - An enum with raw values is the raw value: ``EditableShape/rawValues(_:)``.
/// - Any other scalar has the JSON of a scalar above:
///   ``EditableShape/scalar(_:as:_:format:pattern:examples:expected:encode:decode:)``.
public protocol Editable: Sendable {
  /// The members or cases of the type.
  ///
  /// Declare it as a `static let`, so that it is built once. A type may not contain itself, because its shape would be
  /// infinite.
  static var shape: EditableShape<Self> { get }
}

/// The root type of a store's state.
public protocol StateModel: Editable {
  /// Adjusts and checks the finished draft of a commit, before it is stored or published.
  ///
  /// Other commits may wait for it, so its duration limits their rate: examine only the parts that differ from `base`.
  /// If another commit is faster, it runs again on a newer draft. It also runs on the initial state of a service, and
  /// on an imported one.
  ///
  /// - Parameter base: The state before the commit; for an initial or imported state, that state itself.
  /// - Throws: ``InvalidState``, or any other error, to reject the whole commit. Clients see its description. An
  ///   invalid value that `settle` leaves behind rejects the commit, too.
  mutating func settle(from base: Self) throws
}

extension StateModel {
  public mutating func settle(from base: Self) throws {}
}
