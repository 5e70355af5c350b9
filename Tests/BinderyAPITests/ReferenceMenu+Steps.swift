extension ReferenceMenu {
  /// Performs a step, and returns the status and the problem type of the response, or `422` for any invalid value.
  mutating func perform(_ step: ReferenceStep, newID: String?) -> String {
    let before = self
    let outcome = apply(step, newID)
    guard outcome.hasPrefix("2") else {
      self = before
      return outcome
    }
    if case .custom(let date) = time { lastCustomTime = date }
    if let pinned, index(of: pinned) == nil {
      guard pinned == before.pinned else {
        self = before
        return "422 invalid-state"
      }
      self.pinned = nil
    }
    return outcome
  }

  private mutating func apply(_ step: ReferenceStep, _ newID: String?) -> String {
    switch step {
    case .dish(let place, let whole, let isPut): return write(whole, at: place, isPut, newID)
    case .name(let place, let name, let isPut):
      return edit(place, isPut) { $0.name = try Self.validValue(name) } ?? "200"
    case .quantity(let place, let quantity, let isPut):
      var outcome = "200"
      return edit(place, isPut) { dish in
        if case .outOfStock = dish.status { outcome = try Self.caseSwitchOutcome(isPut) }
        dish.status = .inStock(try Self.validValue(quantity))
      } ?? outcome
    case .backOrder(let place, let isOnBackOrder, let isPut):
      var outcome = "200"
      return edit(place, isPut) { dish in
        if case .inStock = dish.status { outcome = try Self.caseSwitchOutcome(isPut) }
        dish.status = .outOfStock(try Self.validValue(isOnBackOrder))
      } ?? outcome
    case .delete(.listed(let id)):
      dishes.removeAll { $0.id == id.lowercased() }
      return "204"
    case .delete(.pinned):
      pinned = nil
      return "204"
    case .delete(.edited):
      if case .dish = sheet { sheet = .new }
      return "204"
    case .post(let part):
      guard let dish = Self.createdDish(from: part, id: part.id ?? newID) else { return "422" }
      guard index(of: dish.id) == nil else { return "422 duplicate-id" }
      dishes.append(dish)
      return "201"
    case .pin(let id, _): return set { $0.pinned = try Self.validValue(id) }
    case .time(let new, _): return set { $0.time = try Self.validValue(new) }
    case .custom(let date, let isPut):
      if case .custom = time { return set { $0.time = .custom(try Self.validValue(date)) } }
      guard isPut else { return "409 inactive-case" }
      return set("201") { $0.time = .custom(try Self.validValue(date)) }
    case .customOrDefault(let date, _): return set { $0.time = .custom(try Self.validValue(date)) }
    case .sheet(let whole, let isPut): return writeSheet(whole, isPut)
    case .hide:
      sheet = .hidden
      return "204"
    case .selectDay(let offset, _):
      selected = offset
      return "200"
    case .card(let offset, let isSelected, let isPut):
      guard (0...10).contains(offset) else { return isPut ? "409 cannot-create" : "404 no-such-element" }
      if isSelected { selected = offset }
      return "200"
    case .save:
      guard sheet != .hidden else { return "409 nil-optional" }
      guard case .dish(let dish) = sheet else { return "422" }
      guard index(of: dish.id) == nil else { return "422 duplicate-id" }
      dishes.append(dish)
      sheet = .hidden
      return "200"
    case .move(let from, let to):
      guard from < dishes.count, to < dishes.count else { return "409 no-such-element" }
      dishes.insert(dishes.remove(at: from), at: to)
      return "200"
    case .failedTest: return "409 test-failed"
    case .readOnly: return "405 method-not-allowed"
    case .malformed: return "400 malformed-json"
    }
  }

  private struct EditError: Error {
    let outcome: String
  }

  private static func validValue<Value>(_ sent: ReferenceStep.SentValue<Value>) throws -> Value {
    guard case .valid(let value, _) = sent else { throw EditError(outcome: "422") }
    return value
  }

  private static func caseSwitchOutcome(_ isPut: Bool) throws -> String {
    guard isPut else { throw EditError(outcome: "409 inactive-case") }
    return "201"
  }

  private mutating func set(_ outcome: String = "200", _ change: (inout Self) throws -> Void) -> String {
    do {
      try change(&self)
      return outcome
    } catch {
      return (error as? EditError)?.outcome ?? "\(error)"
    }
  }

  /// Edits a member of a dish. Returns nil on success, or else the status and the problem type.
  private mutating func edit(
    _ place: ReferenceStep.Place, _ isPut: Bool, _ change: (inout Dish) throws -> Void
  ) -> String? {
    do {
      switch place {
      case .listed(let id):
        guard let index = index(of: id.lowercased()) else { return isPut ? "409 cannot-create" : "404 no-such-element" }
        try change(&dishes[index])
      case .pinned:
        guard let index = pinnedIndex else { return isPut ? "409 cannot-create" : "409 nil-optional" }
        try change(&dishes[index])
      case .edited:
        guard case .dish(var dish) = sheet else { return isPut ? "409 cannot-create" : "409 nil-optional" }
        try change(&dish)
        sheet = .dish(dish)
      }
      return nil
    } catch {
      return (error as? EditError)?.outcome ?? "\(error)"
    }
  }
}

extension ReferenceMenu {
  private mutating func write(
    _ whole: ReferenceStep.DishValue, at place: ReferenceStep.Place, _ isPut: Bool, _ newID: String?
  ) -> String {
    switch (place, whole) {
    case (.listed(let address), .part(let part)):
      let id = address.lowercased()
      if let index = index(of: id) {
        guard let dish = Self.merged(dishes[index], part, isPut) else { return "422" }
        dishes[index] = dish
        return "200"
      }
      guard isPut else { return "404 no-such-element" }
      guard part.id == nil || part.id == id, let dish = Self.createdDish(from: part, id: id) else { return "422" }
      dishes.append(dish)
      return "201"
    case (.listed(let address), .null):
      return index(of: address.lowercased()) != nil || isPut ? "422" : "404 no-such-element"
    case (.pinned, .null):
      pinned = nil
      return "200"
    case (.pinned, .part(let part)):
      guard let index = pinnedIndex else { return "409 nil-optional" }
      guard let dish = Self.merged(dishes[index], part, isPut) else { return "422" }
      dishes[index] = dish
      return "200"
    case (.edited, _):
      let outcome = sheet == .hidden ? "201" : "200"
      guard isPut || sheet != .hidden else { return "409 nil-optional" }
      guard let new = sheet(showing: whole, isPut, newID) else { return "422" }
      sheet = new
      return outcome
    }
  }

  private mutating func writeSheet(_ whole: ReferenceStep.DishValue?, _ isPut: Bool) -> String {
    guard let whole else {
      sheet = .hidden
      return "200"
    }
    guard let new = sheet(showing: whole, isPut, nil) else { return "422" }
    sheet = new
    return "200"
  }

  private func sheet(showing whole: ReferenceStep.DishValue, _ isPut: Bool, _ newID: String?) -> Sheet? {
    guard case .part(let part) = whole else { return .new }
    guard case .dish(let old) = sheet else {
      return Self.createdDish(from: part, id: part.id ?? newID).map(Sheet.dish)
    }
    if isPut, let id = part.id, id != old.id { return Self.complete(part).map(Sheet.dish) }
    return Self.merged(old, part, isPut).map(Sheet.dish)
  }

  /// Returns the dish with the members of a request. A `PUT` needs all of them.
  private static func merged(_ dish: Dish, _ part: ReferenceStep.PartialDish, _ isPut: Bool) -> Dish? {
    if isPut, part.name == nil || part.isFavorite == nil || part.status == nil { return nil }
    if let id = part.id, id != dish.id { return nil }
    var dish = dish
    switch part.name {
    case .valid(let name, _)?: dish.name = name
    case .invalid?: return nil
    case nil: break
    }
    switch part.isFavorite {
    case .valid(let isFavorite, _)?: dish.isFavorite = isFavorite
    case .invalid?: return nil
    case nil: break
    }
    switch (part.status, dish.status) {
    case (nil, _): break
    case (.valid(.inStock(let quantity?), _), _): dish.status = .inStock(quantity)
    case (.valid(.outOfStock(let isOnBackOrder?), _), _): dish.status = .outOfStock(isOnBackOrder)
    case (.valid(.inStock(nil), _), .inStock) where !isPut: break
    case (.valid(.outOfStock(nil), _), .outOfStock) where !isPut: break
    default: return nil
    }
    return dish
  }

  /// Returns a new dish, which needs only a name.
  private static func createdDish(from part: ReferenceStep.PartialDish, id: String?) -> Dish? {
    guard let id, case .valid(let name, _)? = part.name else { return nil }
    var otherMembers = part
    otherMembers.id = nil
    otherMembers.name = nil
    let newDish = Dish(id: id, name: name)
    // The label of a payload has no default.
    switch part.status {
    case .valid(.inStock(nil), _)?, .valid(.outOfStock(nil), _)?: return nil
    default: return merged(newDish, otherMembers, false)
    }
  }

  private static func complete(_ part: ReferenceStep.PartialDish) -> Dish? {
    guard part.id != nil, part.isFavorite != nil, part.status != nil else { return nil }
    return createdDish(from: part, id: part.id)
  }
}
