import Bindery

@Editable
struct CounterState: StateModel {
  var count = 0
  @Constrained(.within(1...100)) var step = 1
  var note: String? = nil

  @ComputedFrom(\.count) var isEven: Bool {
    get { count.isMultiple(of: 2) }
    set { if newValue != isEven { count &+= 1 } }
  }

  mutating func settle(from base: CounterState) throws(InvalidState) {
    if count < 0 { throw InvalidState("the count must not be negative", at: "/count") }
  }
}
