import BinderyJSON
import FoundationEssentials

/// Operations on collections, whatever the type of their ids.
extension DynamicValue {
  /// Returns the element with an id; nil if there is none.
  func element(withID id: DynamicValue) -> DynamicValue? {
    switch self {
    case .textCollection(let elements): Self.element(of: elements, id)
    case .integerCollection(let elements): Self.element(of: elements, id)
    case .uuidCollection(let elements): Self.element(of: elements, id)
    case .dayCollection(let elements): Self.element(of: elements, id)
    default: nil
    }
  }

  /// Replaces the element with an id, if there is one, or removes it.
  ///
  /// - Parameter element: The new element, with the same id; nil to remove the element.
  mutating func setElement(withID id: DynamicValue, to element: DynamicValue?) {
    switch self {
    case .textCollection: setElement(withID: String(id), to: element)
    case .integerCollection: setElement(withID: Int(id), to: element)
    case .uuidCollection: setElement(withID: UUID(id), to: element)
    case .dayCollection: setElement(withID: CalendarDay(id), to: element)
    default: break
    }
  }

  /// The number of elements or entries.
  var count: Int {
    switch self {
    case .list(let elements): elements.count
    case .set(let elements): elements.count
    case .textCollection(let elements): elements.count
    case .integerCollection(let elements): elements.count
    case .uuidCollection(let elements): elements.count
    case .dayCollection(let elements): elements.count
    case .textDictionary(let entries): entries.count
    case .integerDictionary(let entries): entries.count
    case .uuidDictionary(let entries): entries.count
    case .dayDictionary(let entries): entries.count
    default: 0
    }
  }

  /// The elements of a collection.
  var elements: [DynamicValue] {
    switch self {
    case .textCollection(let elements): elements.map(\.value)
    case .integerCollection(let elements): elements.map(\.value)
    case .uuidCollection(let elements): elements.map(\.value)
    case .dayCollection(let elements): elements.map(\.value)
    default: []
    }
  }

  /// The difference between two versions of a collection.
  struct ElementChanges {
    /// The new and the changed elements, with the elements before.
    var written: [(new: DynamicValue, old: DynamicValue?)] = []
    var hasRemovals = false
  }

  /// Returns the difference between two versions of a collection.
  ///
  /// - Complexity: O(size of the difference · log n).
  func changes(since base: DynamicValue, _ element: EditableShape<DynamicValue>) -> ElementChanges {
    switch (self, base) {
    case (.textCollection(let new), .textCollection(let old)): Self.changes(new, old, element)
    case (.integerCollection(let new), .integerCollection(let old)): Self.changes(new, old, element)
    case (.uuidCollection(let new), .uuidCollection(let old)): Self.changes(new, old, element)
    case (.dayCollection(let new), .dayCollection(let old)): Self.changes(new, old, element)
    default: ElementChanges(written: elements.map { ($0, nil) }, hasRemovals: false)
    }
  }

  /// The text of an id or a dictionary key.
  var keyText: String {
    switch self {
    case .text(let key): key
    case .integer(let key): key.keyText
    case .uuid(let key): key.keyText
    case .day(let key): key.keyText
    default: ""
    }
  }

  /// Whether the value can be an id.
  var isKey: Bool {
    switch self {
    case .text, .integer, .uuid, .day: true
    default: false
    }
  }

  /// Returns whether two ids are the same.
  func isSameKey(as other: DynamicValue) -> Bool {
    switch (self, other) {
    case (.text(let a), .text(let b)): a.isSame(as: b)
    case (.integer(let a), .integer(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.day(let a), .day(let b)): a == b
    default: false
    }
  }

  private static func element<ID: DynamicKey>(
    of elements: Identified<DynamicElement<ID>>, _ id: DynamicValue
  ) -> DynamicValue? {
    ID(id).flatMap { elements[id: $0]?.value }
  }

  private mutating func setElement<ID: DynamicKey>(withID id: ID?, to element: DynamicValue?) {
    guard let id, var elements = ID.elements(of: self) else { return }
    // Gives up the reference, so that the collection is edited in place.
    self = .null
    if let element { elements.edit(id: id) { $0 = DynamicElement(element) } } else { elements.remove(id: id) }
    self = ID.value(of: elements)
  }

  private static func changes<ID: DynamicKey>(
    _ new: Identified<DynamicElement<ID>>, _ old: Identified<DynamicElement<ID>>,
    _ element: EditableShape<DynamicValue>
  ) -> ElementChanges {
    var changes = ElementChanges()
    if new.isIdentical(to: old) { return changes }
    for step in new.changes(since: old, same: { element.areSame($0.value, $1.value) }) {
      switch step {
      case .insert(let element, _): changes.written.append((element.value, nil))
      case .replace(let element): changes.written.append((element.value, old[id: element.id]?.value))
      case .remove: changes.hasRemovals = true
      case .move: continue
      }
    }
    return changes
  }
}
