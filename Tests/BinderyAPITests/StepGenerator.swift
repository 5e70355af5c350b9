import BinderyTestKit
import BindingLaws

/// Generates random steps, most of which are valid.
struct StepGenerator {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }

  private static let spareIDs = (0x10...0x13).map { "b10de400-0000-8000-8000-0000000000\(String($0, radix: 16))" }
  private static let names = ["\"Soup\"", "\"Pie\"", "\"Crème brûlée 🍮\"", #""it's \"ok\"""#, #""a\\b""#]
  private static let badNames = [
    "\"\"", "\"  \"", "1", "null", #""a\u0007""#, "\"\(String(repeating: "x", count: 101))\"",
  ]
  /// Dates in canonical form, and another spelling of each.
  private static let dates = [
    ("\"2026-12-24T18:30:00.000Z\"", "\"2026-12-24T19:30:00+01:00\""),
    ("\"2027-01-01T00:00:00.000Z\"", "\"2026-12-31t23:00:00.000-01:00\""),
    ("\"\(Menus.evening)\"", "\"2026-11-21T19:00:00Z\""),
  ]

  mutating func next(_ menu: ReferenceMenu) -> ReferenceStep {
    let isPut = random.chance(50)
    switch Int.random(in: 0..<22, using: &random) {
    case 0, 1, 2: return .dish(place(menu), whole(menu), isPut: isPut)
    case 3, 4: return .name(place(menu), name(), isPut: isPut)
    case 5, 6: return .quantity(place(menu), quantity(), isPut: isPut)
    case 7: return .backOrder(place(menu), flag(), isPut: isPut)
    case 8: return .delete(place(menu))
    case 9, 10: return .post(part(id: random.chance(50) ? nil : id(menu)))
    case 11: return .pin(pin(menu), isPut: isPut)
    case 12: return .time(time(), isPut: isPut)
    case 13: return random.chance(70) ? .custom(date(), isPut: isPut) : .customOrDefault(date(), isPut: isPut)
    case 14, 15: return .sheet(random.chance(15) ? nil : edited(menu), isPut: isPut)
    case 16: return random.chance(30) ? .hide : .dish(.edited, edited(menu), isPut: isPut)
    case 17: return random.chance(50) ? .selectDay(day(), isPut: isPut) : .card(day(), random.chance(60), isPut: isPut)
    case 18: return .save
    case 19: return .move(Int.random(in: 0..<6, using: &random), Int.random(in: 0..<6, using: &random))
    case 20: return random.chance(50) ? .failedTest(name()) : .malformed(place(menu).path)
    default:
      let paths = [
        "/state/today", "/state/favorites", "/state/lastCustomTime", "/state/selectedDayLabel", "/state/pinnedDish/id",
      ]
      return .readOnly(random.pick(["PATCH", "PUT", "DELETE"]), random.pick(paths))
    }
  }

  private mutating func id(_ menu: ReferenceMenu) -> String {
    random.chance(60) && !menu.dishes.isEmpty ? random.pick(menu.dishes).id : random.pick(Self.spareIDs)
  }

  private mutating func place(_ menu: ReferenceMenu) -> ReferenceStep.Place {
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: return .pinned
    case 2, 3: return .edited
    default:
      let id = id(menu)
      return .listed(random.chance(10) ? id.uppercased() : id)
    }
  }

  private mutating func whole(_ menu: ReferenceMenu) -> ReferenceStep.DishValue {
    random.chance(5) ? .null : .part(part(id: random.chance(70) ? id(menu) : nil))
  }

  /// Returns a value for the sheet, with an id wherever the model would otherwise create a random one.
  private mutating func edited(_ menu: ReferenceMenu) -> ReferenceStep.DishValue {
    if random.chance(15) { return .null }
    guard case .dish(let dish) = menu.sheet else { return .part(part(id: id(menu))) }
    return .part(part(id: random.pick([nil, dish.id, dish.id, id(menu)])))
  }

  private mutating func part(id: String?) -> ReferenceStep.PartialDish {
    let isWhole = random.chance(50)
    return ReferenceStep.PartialDish(
      id: id, name: isWhole || random.chance(50) ? name() : nil,
      isFavorite: isWhole || random.chance(40) ? flag() : nil,
      status: isWhole || random.chance(40) ? status() : nil)
  }

  private mutating func name() -> ReferenceStep.SentValue<String> {
    if random.chance(10) { return .invalid(random.pick(Self.badNames)) }
    let name = random.pick(Self.names)
    return .valid(name, json: name)
  }

  private mutating func flag() -> ReferenceStep.SentValue<Bool> {
    if random.chance(8) { return .invalid(random.pick(["null", "1", "\"true\""])) }
    let flag = random.chance(50)
    return .valid(flag, json: "\(flag)")
  }

  private mutating func quantity() -> ReferenceStep.SentValue<Int> {
    if random.chance(15) { return .invalid(random.pick(["0", "-1", "1.5", "null", "\"1\"", "1e99"])) }
    let quantity = Int.random(in: 1...4, using: &random)
    return .valid(quantity, json: random.pick(["\(quantity)", "\(quantity).0", "\(quantity)0e-1"]))
  }

  private mutating func status() -> ReferenceStep.SentValue<ReferenceStep.StatusValue> {
    if random.chance(8) {
      return .invalid(random.pick(["null", "\"inStock\"", "{}", #"{"inStock":{"quantity":0}}"#, #"{"gone":{}}"#]))
    }
    let isEmpty = random.chance(15)
    if random.chance(50) {
      guard !isEmpty else { return .valid(.inStock(nil), json: #"{"inStock":{}}"#) }
      let quantity = Int.random(in: 1...4, using: &random)
      return .valid(.inStock(quantity), json: ReferenceMenu.Status.inStock(quantity).json)
    }
    guard !isEmpty else { return .valid(.outOfStock(nil), json: #"{"outOfStock":{}}"#) }
    let flag = random.chance(50)
    return .valid(.outOfStock(flag), json: ReferenceMenu.Status.outOfStock(flag).json)
  }

  private mutating func pin(_ menu: ReferenceMenu) -> ReferenceStep.SentValue<String?> {
    if random.chance(10) { return .invalid(random.pick(["1", "\"x\"", "{}"])) }
    if random.chance(20) { return .valid(nil, json: "null") }
    let id = id(menu)
    return .valid(id, json: "\"\(random.chance(20) ? id.uppercased() : id)\"")
  }

  private mutating func time() -> ReferenceStep.SentValue<ReferenceMenu.Time> {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return .valid(.tonight, json: "\"tonight\"")
    case 1: return .valid(.tomorrow, json: "\"tomorrow\"")
    case 2: return .invalid(random.pick(["\"custom\"", "{}", "null", #"{"custom":null}"#, #"{"tonight":1}"#]))
    default:
      guard case .valid(let date, let json) = date() else { return .invalid("1") }
      return .valid(.custom(date), json: "{\"custom\":\(json)}")
    }
  }

  private mutating func date() -> ReferenceStep.SentValue<String> {
    if random.chance(15) { return .invalid(random.pick(["null", "0", "\"2026-02-30T00:00:00Z\"", "\"2026-12-24\""])) }
    let (date, other) = random.pick(Self.dates)
    return .valid(date, json: random.chance(30) ? other : date)
  }

  private mutating func day() -> Int { Int.random(in: -2...12, using: &random) }
}
