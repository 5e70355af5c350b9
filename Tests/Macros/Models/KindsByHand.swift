import Bindery

/// The same declarations as in Kinds.swift, by hand.
struct Kinds: Model {
  let serial: String
  var number = 1
  var other: Int
  var even: Int = 2
  var tags: [String] = []
  var isOpen: Bool = true
  var version: Int = 3
  var `default`: Signal = .off
  var lamp: Lamp?
  var watched: Int = 0 {
    didSet { _ = oldValue }
  }
  private(set) var count: Int = 0
  private var secret: Int? = nil

  var hint: String { "\(number) \(other)" }
  var next: Int { number &+ 1 }
  var isEven: Bool { number.isMultiple(of: 2) }

  init(
    serial: String, number: Int, other: Int, even: Int, tags: [String], isOpen: Bool, version: Int, default: Signal,
    lamp: Lamp?, watched: Int, count: Int, secret: Int?
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
    self.watched = watched
    self.count = count
    self.secret = secret
  }

  static let shape = Shape<Kinds>.members(
    Kinds.init(serial:number:other:even:tags:isOpen:version:default:lamp:watched:count:secret:),
    Member("serial", readOnly: \.serial),
    Member("number", \.number, default: 1),
    Member("other", \.other),
    Member("even", \.even, Constraint("an even number") { $0.isMultiple(of: 2) }, default: 2),
    Member("tags", \.tags, .count(0...3), default: []),
    Member("is_open", \.isOpen, default: true),
    Member("version", readOnly: \.version, default: { 3 }),
    Member("default", \.default, default: .off),
    Member("lamp", \.lamp),
    Member("watched", \.watched, default: 0),
    Member("count", \.count, default: 0),
    Member(hidden: "secret", \.secret, default: nil),
    computed: [
      Computed("hint", readOnly: \.hint),
      Computed("next", readOnly: \.next, from: \.number),
      Computed("is_even", readOnly: \.isEven, from: \.number),
    ])
}

enum Signal: Bindable, Equatable {
  case off, on
  case atMost(Int)
  case note(String?)
  case `repeat`(times: Int)
  case point(x: Int, in: [Int], note: String?)

  static let shape = Shape<Signal>.cases(
    Case("off", Signal.off),
    Case("on", Signal.on),
    Case("at_most", Signal.atMost, .within(0...9)) { if case .atMost(let it) = $0 { it } else { nil } },
    Case("note", Signal.note) { if case .note(let it) = $0 { it } else { nil } },
    Case("repeat", label: "times", Signal.repeat(times:), .atLeast(1)) {
      if case .repeat(let times) = $0 { times } else { nil }
    },
    Case(
      "point", Signal.point(x:in:note:), Member("x", \.0, .within(-9...9)), Member("in", \.1, .count(0...2)),
      Member("note", \.2)
    ) {
      if case .point(let x, let list, let note) = $0 { (x, list, note) } else { nil }
    })
}

enum Lamp: Bindable {
  case broken
  case lit(brightness: Double)

  static let shape = Shape<Lamp>.cases(
    Case("broken", Lamp.broken) { if case .broken = $0 { () } else { nil } },
    Case("lit", label: "brightness", Lamp.lit(brightness:)) {
      if case .lit(let brightness) = $0 { brightness } else { nil }
    })
}
