import Bindery

/// The state of the service.
///
/// Each member is declared once. The declaration determines its URL path, JSON, schema, validation and typed binding.
struct Counter: Model {
  var count = 0
  var step = 1
  var note: String?

  /// A computed member. It has a setter, so clients can write it.
  var isEven: Bool {
    get { count.isMultiple(of: 2) }
    set { if newValue != isEven { count += 1 } }
  }

  init() {}

  init(count: Int, step: Int, note: String?) {
    self.count = count
    self.step = step
    self.note = note
  }

  static let shape = Shape<Counter>.members(
    Counter.init(count:step:note:),
    Member("count", \.count),
    Member("step", \.step, .within(1...100), default: 1),
    Member("note", \.note, default: nil),
    computed: [Computed("isEven", \.isEven, from: \.count)])

  /// Validates every commit. The model may also adjust itself here.
  mutating func settle(from base: Counter) throws(InvalidState) {
    if count < 0 { throw InvalidState("the count must not be negative", at: "/count") }
  }
}

let service = try Service(Counter(), listeningOn: ["127.0.0.1:8081"])

// Swift code reads and edits the same state as HTTP clients, through typed places.
let count = Place<Counter, Counter>.root.count
try await service.store.edit(count) { $0 = 41 }
print("\(count.path) is \(try service.store.read(count)); http://127.0.0.1:8081/state\(count.path)")

try service.run()
