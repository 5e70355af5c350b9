package import FoundationEssentials

/// A type of ids and dictionary keys of dynamic models.
package protocol DynamicKey: PathKey, Editable, Hashable {
  /// Creates a key from its value; nil if the value has another type.
  init?(_ value: DynamicValue)
  /// Returns a collection as a value.
  static func value(of elements: Identified<DynamicElement<Self>>) -> DynamicValue
  /// Returns a dictionary as a value.
  static func value(of entries: [Self: DynamicValue]) -> DynamicValue
  /// Returns the collection that a value contains; nil if the value is another one.
  static func elements(of value: DynamicValue) -> Identified<DynamicElement<Self>>?
  /// Returns the dictionary that a value contains; nil if the value is another one.
  static func entries(of value: DynamicValue) -> [Self: DynamicValue]?
}

extension String: DynamicKey {
  package init?(_ value: DynamicValue) {
    guard case .text(let text) = value else { return nil }
    self = text
  }
  package static func value(of elements: Identified<DynamicElement<String>>) -> DynamicValue {
    .textCollection(elements)
  }
  package static func value(of entries: [String: DynamicValue]) -> DynamicValue { .textDictionary(entries) }
  package static func elements(of value: DynamicValue) -> Identified<DynamicElement<String>>? {
    if case .textCollection(let elements) = value { elements } else { nil }
  }
  package static func entries(of value: DynamicValue) -> [String: DynamicValue]? {
    if case .textDictionary(let entries) = value { entries } else { nil }
  }
}

extension Int: DynamicKey {
  package init?(_ value: DynamicValue) {
    guard case .integer(let number) = value else { return nil }
    self = number
  }
  package static func value(of elements: Identified<DynamicElement<Int>>) -> DynamicValue {
    .integerCollection(elements)
  }
  package static func value(of entries: [Int: DynamicValue]) -> DynamicValue { .integerDictionary(entries) }
  package static func elements(of value: DynamicValue) -> Identified<DynamicElement<Int>>? {
    if case .integerCollection(let elements) = value { elements } else { nil }
  }
  package static func entries(of value: DynamicValue) -> [Int: DynamicValue]? {
    if case .integerDictionary(let entries) = value { entries } else { nil }
  }
}

extension UUID: DynamicKey {
  package init?(_ value: DynamicValue) {
    guard case .uuid(let id) = value else { return nil }
    self = id
  }
  package static func value(of elements: Identified<DynamicElement<UUID>>) -> DynamicValue { .uuidCollection(elements) }
  package static func value(of entries: [UUID: DynamicValue]) -> DynamicValue { .uuidDictionary(entries) }
  package static func elements(of value: DynamicValue) -> Identified<DynamicElement<UUID>>? {
    if case .uuidCollection(let elements) = value { elements } else { nil }
  }
  package static func entries(of value: DynamicValue) -> [UUID: DynamicValue]? {
    if case .uuidDictionary(let entries) = value { entries } else { nil }
  }
}

extension CalendarDay: DynamicKey {
  package init?(_ value: DynamicValue) {
    guard case .day(let day) = value else { return nil }
    self = day
  }
  package static func value(of elements: Identified<DynamicElement<CalendarDay>>) -> DynamicValue {
    .dayCollection(elements)
  }
  package static func value(of entries: [CalendarDay: DynamicValue]) -> DynamicValue { .dayDictionary(entries) }
  package static func elements(of value: DynamicValue) -> Identified<DynamicElement<CalendarDay>>? {
    if case .dayCollection(let elements) = value { elements } else { nil }
  }
  package static func entries(of value: DynamicValue) -> [CalendarDay: DynamicValue]? {
    if case .dayDictionary(let entries) = value { entries } else { nil }
  }
}
