import Bindery

@Editable
struct Counter: StateModel {
  var count = 0
  @Constrained(.within(1...100)) var step = 1
  var note: String?
  @ComputedFrom(\.count) var isEven: Bool {
    get { count.isMultiple(of: 2) }
    set { if newValue != isEven { count &+= 1 } }
  }
  var double: Int { count * 2 }
}

@Editable
public struct Dish: Identifiable {
  @ID(new: { "new" }) public let id: String
  @Constrained(.length(1...100), .notBlank) @Named("full_name") public var name: String
  public let created: Int
  @ReadOnly public var changed: Int = 0
  public private(set) var written: Int = 0
  @Hidden private var secret: Int = 1
  @ComputedFrom(\.self, filling: .editsOnly) public var again: String? {
    get { name }
    set { if let newValue { name = newValue } }
  }
  @ReadOnly @ComputedFrom(\.name, \.created) public var label: String {
    get { name + "\(created)" }
    set { name = newValue }
  }
}

@Editable
struct Nothing {}
