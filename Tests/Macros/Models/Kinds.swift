import Bindery

/// Every kind of declaration that the menu and the counter do not have.
@Editable
struct Kinds: StateModel {
  let serial: String
  var number = 1, other: Int
  @Constrained<Int>(Constraint("an even number") { $0.isMultiple(of: 2) }) var even: Int = 2
  @Constrained(.count(0...3)) var tags: [String] = []
  @Named("is_open") var isOpen: Bool = true
  @ReadOnly var version: Int = 3
  var `default`: Signal = .off
  var lamp: Lamp?
  @Constrained(.unlessNil(.length(1...9)), .unlessNil(.notBlank)) var alias: String?
  @Constrained(.unlessNil(.within(0...9))) var digit: Int? = 3
  var watched: Int = 0 {
    didSet { _ = oldValue }
  }
  private(set) var count: Int = 0
  var size: Size = .small
  @Hidden private var secret: Int? = nil
  static let limit = 3

  @ComputedFrom(\.self) var hint: String { "\(number) \(other)" }
  @ReadOnly @ComputedFrom(\.number) var next: Int {
    get { number &+ 1 }
    set { number = newValue &- 1 }
  }
  @Named("is_even") @ComputedFrom(\.number) var isEven: Bool { number.isMultiple(of: 2) }
  var unlisted: Int { number }

  init(
    serial: String, number: Int, other: Int, even: Int, tags: [String], isOpen: Bool, version: Int, default: Signal,
    lamp: Lamp?, alias: String?, digit: Int?, watched: Int, count: Int, size: Size, secret: Int?
  ) {
    self.serial = serial
    self.number = number
    self.other = other
    self.even = even
    self.tags = tags
    self.isOpen = isOpen
    self.version = version
    self.default = `default`
    self.lamp = lamp
    self.alias = alias
    self.digit = digit
    self.watched = watched
    self.count = count
    self.size = size
    self.secret = secret
  }
}

@Editable
enum Signal: Equatable {
  case off, on
  @Named("at_most") @Constrained(.within(0...9)) case atMost(Int)
  case note(String?)
  @Constrained(.atLeast(1)) case `repeat`(times: Int)
  @Constrained(.within(-9...9), of: "x")
  @Constrained(.count(0...2), of: "in")
  case point(x: Int, in: [Int], note: String?)
}

@Editable
enum Lamp {
  case broken
  case lit(brightness: Double)
}

@Editable
enum Size: String, CaseIterable {
  case small
  case large = "big"
}
