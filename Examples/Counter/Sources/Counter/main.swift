import Bindery

/// Each member is said once; that gives its path, its JSON, its schema, its checks and its typed binding.
struct Counter: Model {
  var count = 0
  var step = 1
  var note: String?

  /// Has a setter, so it has a URL that writes.
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

  /// Runs once a commit, on the finished draft.
  mutating func settle(from base: Counter) throws(InvalidState) {
    if count < 0 { throw InvalidState("a counter does not go below zero", at: "/count") }
  }
}

let service = try Service(Counter(), listeningOn: ["127.0.0.1:8081"])

// Swift code uses the same state beside the clients, by typed addresses.
let count = Place<Counter, Counter>.root.count
try await service.store.edit(count) { $0 = 41 }
print("\(count.path) is \(try service.store.read(count)); http://127.0.0.1:8081/state\(count.path)")

try service.run()
