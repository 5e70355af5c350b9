import Bindery

/// The same declarations as in Kinds.swift, by hand.
struct Kinds: StateModel {
  let serial: String
  var number = 1
  var other: Int
  var even: Int = 2
  var tags: [String] = []
  var isOpen: Bool = true
  var version: Int = 3
  var `default`: Signal = .off
  var lamp: Lamp?
  var alias: String?
  var digit: Int? = 3
  var watched: Int = 0 {
    didSet { _ = oldValue }
  }
  private(set) var count: Int = 0
  var size: Size = .small
  private var secret: Int? = nil

  var hint: String { "\(number) \(other)" }
  var next: Int { number &+ 1 }
  var isEven: Bool { number.isMultiple(of: 2) }

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

  static let shape = EditableShape<Kinds>.members(
    Kinds.init(serial:number:other:even:tags:isOpen:version:default:lamp:alias:digit:watched:count:size:secret:),
    StoredMember("serial", readOnly: \.serial),
    StoredMember("number", \.number, default: 1),
    StoredMember("other", \.other),
    StoredMember("even", \.even, Constraint("an even number") { $0.isMultiple(of: 2) }, default: 2),
    StoredMember("tags", \.tags, .count(0...3), default: []),
    StoredMember("is_open", \.isOpen, default: true),
    StoredMember("version", readOnly: \.version, default: 3),
    StoredMember("default", \.default, default: .off),
    StoredMember("lamp", \.lamp),
    StoredMember("alias", \.alias, .unlessNil(.length(1...9)), .unlessNil(.notBlank)),
    StoredMember("digit", \.digit, .unlessNil(.within(0...9)), default: 3),
    StoredMember("watched", \.watched, default: 0),
    StoredMember("count", readOnly: \.count, default: 0),
    StoredMember("size", \.size, default: .small),
    StoredMember(hidden: "secret", \.secret, default: nil),
    computed: [
      ComputedMember("hint", readOnly: \.hint),
      ComputedMember("next", readOnly: \.next, from: \.number),
      ComputedMember("is_even", readOnly: \.isEven, from: \.number),
    ])
}

enum Signal: Editable, Equatable {
  case off, on
  case atMost(Int)
  case note(String?)
  case `repeat`(times: Int)
  case point(x: Int, in: [Int], note: String?)

  static let shape = EditableShape<Signal>.cases(
    EnumCase("off", Signal.off),
    EnumCase("on", Signal.on),
    EnumCase("at_most", Signal.atMost, .within(0...9)) { if case .atMost(let it) = $0 { it } else { nil } },
    EnumCase("note", Signal.note) { if case .note(let it) = $0 { it } else { nil } },
    EnumCase("repeat", label: "times", Signal.repeat(times:), .atLeast(1)) {
      if case .repeat(let times) = $0 { times } else { nil }
    },
    EnumCase(
      "point", Signal.point(x:in:note:), StoredMember("x", \.0, .within(-9...9)),
      StoredMember("in", \.1, .count(0...2)),
      StoredMember("note", \.2)
    ) {
      if case .point(let x, let list, let note) = $0 { (x, list, note) } else { nil }
    })
}

enum Lamp: Editable {
  case broken
  case lit(brightness: Double)

  static let shape = EditableShape<Lamp>.cases(
    EnumCase("broken", Lamp.broken) { if case .broken = $0 { () } else { nil } },
    EnumCase("lit", label: "brightness", Lamp.lit(brightness:)) {
      if case .lit(let brightness) = $0 { brightness } else { nil }
    })
}

enum Size: String, CaseIterable, Editable {
  case small
  case large = "big"

  static let shape = EditableShape<Size>.rawValues()
}
