import Bindery

/// The state of the service.
///
/// Each member is declared once. The declaration determines its URL path, JSON, schema, validation and typed binding.
struct CounterState: StateModel {
  var count = 0
  var step = 1
  var note: String?

  /// A computed member. It has a setter, so clients can write it.
  var isEven: Bool {
    get { count.isMultiple(of: 2) }
    set { if newValue != isEven { count &+= 1 } }
  }

  static let shape = EditableShape<CounterState>.members(
    CounterState.init(count:step:note:),
    StoredMember("count", \.count, default: 0),
    StoredMember("step", \.step, .within(1...100), default: 1),
    StoredMember("note", \.note, default: nil),
    computed: [ComputedMember("isEven", \.isEven, from: \.count)])

  /// Validates every commit. The model may also adjust itself here.
  mutating func settle(from base: CounterState) throws(InvalidState) {
    if count < 0 { throw InvalidState("the count must not be negative", at: "/count") }
  }
}
