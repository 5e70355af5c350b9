import BinderyDigest
import FoundationEssentials

/// One level on the way from the root to the places that a rule of a model applies to.
enum WalkStep: Sendable {
  /// A stored member of a struct.
  case member(slot: Int, name: String)
  /// The value in an optional; a layer of a nested optional has a segment of its own.
  case wrapped(isLayer: Bool)
  /// The payload of an enum case, with the segments of the case and of its single label.
  case payload(index: Int, segments: [String])
  /// The elements of a collection.
  case elements(EditableShape<DynamicValue>)
  /// The values of a dictionary.
  case entries
  /// The elements of an array.
  case items
}

/// The result of a rule at one place.
enum Rewrite: Sendable {
  case unchanged
  case replaced(DynamicValue)
  /// The innermost element, entry or item that contains the place is removed.
  case removed

  /// Returns the result for the value that contains the place.
  fileprivate func mapped(_ embed: (DynamicValue) -> DynamicValue) -> Rewrite {
    if case .replaced(let new) = self { .replaced(embed(new)) } else { self }
  }
}

/// Applies a rule to all places that some steps lead to.
struct ModelWalk {
  /// The steps from the root.
  let steps: [WalkStep]
  /// Whether to visit unchanged elements, and unchanged arrays and dictionaries, too.
  let visitsUnchanged: Bool
  /// Whether the removal of an item of an array, if the steps end there, removes what contains the array.
  var removesContainers = false
  /// Returns the new value of a place. Its second argument is the place before the commit.
  let rule: (DynamicValue, DynamicValue?, [String]) throws(InvalidState) -> Rewrite
  /// The segments of the path to the current value.
  private(set) var path: [String] = []

  /// Applies the rule below a root.
  mutating func apply(to root: inout DynamicValue, since base: DynamicValue?) throws(InvalidState) {
    if case .replaced(let new) = try rewrite(root, base, 0) { root = new }
  }

  /// Applies a rule that changes and rejects nothing below a root.
  mutating func visit(_ root: DynamicValue) { _ = try? rewrite(root, nil, 0) }

  private mutating func rewrite(
    _ value: DynamicValue, _ base: DynamicValue?, _ index: Int
  ) throws(InvalidState) -> Rewrite {
    guard index < steps.count else { return try rule(value, base, path) }
    switch steps[index] {
    case .member(let slot, let name):
      let result = try below([name], value.member(slot), base?.member(slot), index)
      return result.mapped { new in
        var copy = value
        copy.editMember(slot) { $0 = new }
        return copy
      }
    case .wrapped(let isLayer):
      if value.isNull { return .unchanged }
      let before = base.flatMap { $0.isNull ? nil : $0 }
      guard isLayer else { return try rewrite(value, before, index + 1) }
      guard case .layer(let inner) = value else { return .unchanged }
      var innerBefore: DynamicValue?
      if case .layer(let inner)? = before { innerBefore = inner }
      return try below(["some"], inner, innerBefore, index).mapped { .layer($0) }
    case .payload(let wanted, let segments):
      guard let payload = value.payload, payload.index == wanted else { return .unchanged }
      let before = base?.payload.flatMap { $0.index == wanted ? $0.value : nil }
      return try below(segments, payload.value, before, index).mapped { .enumCase(wanted, $0) }
    case .elements(let shape): return try rewriteElements(of: value, base, shape, index)
    case .entries: return try rewriteEntries(of: value, base, index)
    case .items: return try rewriteItems(of: value, base, index)
    }
  }

  /// Continues in a part of the current value.
  private mutating func below(
    _ segments: [String], _ part: DynamicValue, _ base: DynamicValue?, _ index: Int
  ) throws(InvalidState) -> Rewrite {
    path += segments
    defer { path.removeLast(segments.count) }
    return try rewrite(part, base, index + 1)
  }

  private mutating func rewriteElements(
    of value: DynamicValue, _ base: DynamicValue?, _ shape: EditableShape<DynamicValue>, _ index: Int
  ) throws(InvalidState) -> Rewrite {
    let visited: [(new: DynamicValue, old: DynamicValue?)] =
      if let base, !visitsUnchanged {
        value.changes(since: base, shape).written
      } else {
        value.elements.map { ($0, base?.element(withID: $0.member(0))) }
      }
    var copy = value
    var isChanged = false
    for (new, old) in visited {
      let id = new.member(0)
      switch try below([id.keyText], new, old, index) {
      case .unchanged: continue
      case .replaced(let element): copy.setElement(withID: id, to: element)
      case .removed: copy.setElement(withID: id, to: nil)
      }
      isChanged = true
    }
    return isChanged ? .replaced(copy) : .unchanged
  }

  private mutating func rewriteEntries(
    of value: DynamicValue, _ base: DynamicValue?, _ index: Int
  ) throws(InvalidState) -> Rewrite {
    switch value {
    case .textDictionary(let entries): try rewriteEntries(entries, base.flatMap(String.entries), index)
    case .integerDictionary(let entries): try rewriteEntries(entries, base.flatMap(Int.entries), index)
    case .uuidDictionary(let entries): try rewriteEntries(entries, base.flatMap(UUID.entries), index)
    case .dayDictionary(let entries): try rewriteEntries(entries, base.flatMap(CalendarDay.entries), index)
    default: .unchanged
    }
  }

  private mutating func rewriteEntries<Key: DynamicKey>(
    _ entries: [Key: DynamicValue], _ base: [Key: DynamicValue]?, _ index: Int
  ) throws(InvalidState) -> Rewrite {
    if !visitsUnchanged, let base, haveSameBits(entries, base) { return .unchanged }
    var copy = entries
    var isChanged = false
    for (key, entry) in entries {
      switch try below([key.keyText], entry, base?[key], index) {
      case .unchanged: continue
      case .replaced(let new): copy[key] = new
      case .removed: copy[key] = nil
      }
      isChanged = true
    }
    return isChanged ? .replaced(Key.value(of: copy)) : .unchanged
  }

  private mutating func rewriteItems(
    of value: DynamicValue, _ base: DynamicValue?, _ index: Int
  ) throws(InvalidState) -> Rewrite {
    guard case .list(let items) = value else { return .unchanged }
    var before: [DynamicValue] = []
    if case .list(let items)? = base { before = items }
    if !visitsUnchanged, haveSameBits(items, before) { return .unchanged }
    // The old ids, which are only needed where positions differ.
    lazy var ids = Set(before.filter(\.isKey).map { String.UTF8View.Bytes($0.keyText) })
    var copy: [DynamicValue] = []
    var isChanged = false
    for (position, item) in items.enumerated() {
      var old = position < before.count ? before[position] : nil
      // An id in an array is an old one wherever it was.
      if item.isKey, old.map({ !$0.isSameKey(as: item) }) ?? true {
        old = ids.contains(String.UTF8View.Bytes(item.keyText)) ? item : old
      }
      switch try below([String(position)], item, old, index) {
      case .unchanged: copy.append(item)
      case .replaced(let new):
        copy.append(new)
        isChanged = true
      case .removed:
        if removesContainers, index + 1 == steps.count { return .removed }
        isChanged = true
      }
    }
    return isChanged ? .replaced(.list(copy)) : .unchanged
  }
}
