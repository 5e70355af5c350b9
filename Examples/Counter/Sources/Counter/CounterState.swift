import Bindery

/// The state of the service.
///
/// Each member is declared once. The declaration determines its URL path, JSON, schema, validation and typed binding.
struct CounterState: Model {
  var count = 0
  var step = 1
  var note: String?

  /// A computed member. It has a setter, so clients can write it.
  var isEven: Bool {
    get { count.isMultiple(of: 2) }
    set { if newValue != isEven { count &+= 1 } }
  }

  static let shape = Shape<CounterState>.members(
    CounterState.init(count:step:note:),
    Member("count", \.count, default: 0),
    Member("step", \.step, .within(1...100), default: 1),
    Member("note", \.note, default: nil),
    computed: [Computed("isEven", \.isEven, from: \.count)])

  /// Validates every commit. The model may also adjust itself here.
  mutating func settle(from base: CounterState) throws(InvalidState) {
    if count < 0 { throw InvalidState("the count must not be negative", at: "/count") }
  }
}
