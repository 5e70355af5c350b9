package import FoundationEssentials

/// A value of a model that is known only at run time, such as one from a model file.
///
/// The case follows from the shape: a value is only ever used with the shape that created it. Collections share their
/// structure between versions like those of models in Swift.
package enum DynamicValue: Sendable {
  /// The nil of an optional.
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case float(Float)
  case text(String)
  case uuid(UUID)
  case date(Date)
  case day(CalendarDay)
  case duration(Duration)
  case data(Data)
  case url(URL)
  case json(FreeJSON)
  /// The stored members of a struct. The id, if there is one, is the first.
  case record([DynamicValue])
  /// An enum case without payload, by its index.
  case plainCase(Int)
  /// An enum case with its payload, by its index; see ``enumCase(_:_:)``.
  indirect case payloadCase(Int, DynamicValue)
  /// An enum case with a small payload, which needs no allocation.
  case booleanCase(Int32, Bool)
  case integerCase(Int32, Int)
  case numberCase(Int32, Double)
  /// A layer of a nested optional.
  indirect case layer(DynamicValue)
  case list([DynamicValue])
  case set(Set<CanonicalElement>)
  case textCollection(Identified<DynamicElement<String>>)
  case integerCollection(Identified<DynamicElement<Int>>)
  case uuidCollection(Identified<DynamicElement<UUID>>)
  case dayCollection(Identified<DynamicElement<CalendarDay>>)
  case textDictionary([String: DynamicValue])
  case integerDictionary([Int: DynamicValue])
  case uuidDictionary([UUID: DynamicValue])
  case dayDictionary([CalendarDay: DynamicValue])
  /// The members of an open struct that its type does not declare.
  case freeMembers([String: FreeJSON])
}

extension DynamicValue {
  /// Whether this is the nil of an optional. Also the null among any JSON values, because an optional of them is
  /// written as one of them.
  package var isNull: Bool {
    switch self {
    case .null: true
    case .json(let value): value.isNull
    default: false
    }
  }

  /// Returns the stored member at an index of a struct.
  func member(_ index: Int) -> DynamicValue {
    guard case .record(let members) = self else { mismatch("a struct") }
    return members[index]
  }

  /// Edits the stored member at an index of a struct in place.
  mutating func editMember<E: Error>(_ index: Int, _ body: (inout DynamicValue) throws(E) -> Void) throws(E) {
    guard case .record(var members) = self else { mismatch("a struct") }
    // Gives up the reference, so that the members are edited in place.
    self = .null
    defer { self = .record(members) }
    try body(&members[index])
  }

  /// Returns an enum case with a payload.
  static func enumCase(_ index: Int, _ payload: DynamicValue) -> DynamicValue {
    switch payload {
    case .bool(let value): .booleanCase(Int32(index), value)
    case .integer(let value): .integerCase(Int32(index), value)
    case .number(let value): .numberCase(Int32(index), value)
    default: .payloadCase(index, payload)
    }
  }

  /// The index and the payload of an enum case.
  var payload: (index: Int, value: DynamicValue)? {
    switch self {
    case .payloadCase(let index, let value): (index, value)
    case .booleanCase(let index, let value): (Int(index), .bool(value))
    case .integerCase(let index, let value): (Int(index), .integer(value))
    case .numberCase(let index, let value): (Int(index), .number(value))
    default: nil
    }
  }

  /// Stops the process: a value was used with a shape that did not create it.
  func mismatch(_ expected: String) -> Never {
    preconditionFailure("a dynamic value was used with another shape: expected \(expected), got \(self)")
  }
}

/// An element of a set. As in Swift, strings in two normalization forms are equal, and so are the numbers 0 and -0.
package struct CanonicalElement: Hashable, Sendable {
  package let value: DynamicValue
  /// The value in canonical JSON, compared as a string.
  private let text: String

  /// - Parameter json: The value in canonical JSON.
  init(_ value: DynamicValue, json: String) {
    self.value = value
    text =
      switch value {
      case .number(0), .float(0): "0"
      default: json
      }
  }

  package static func == (a: CanonicalElement, b: CanonicalElement) -> Bool { a.text == b.text }
  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// An element of a collection whose ids have the type `ID`.
package struct DynamicElement<ID: DynamicKey>: Identifiable, Sendable {
  /// The stored members of the element. They are kept without the enum around them, which would take three words.
  private var members: [DynamicValue]

  /// Creates an element from a struct whose first stored member is the id.
  package init(_ value: DynamicValue) {
    guard case .record(let members) = value else { value.mismatch("a struct") }
    self.members = members
  }

  /// The element as a struct.
  package var value: DynamicValue { .record(members) }

  package var id: ID {
    guard let id = ID(members[0]) else { value.mismatch("an element with an id of type \(ID.self)") }
    return id
  }

  /// Gives up the reference to the members, so that an edit need not copy them.
  mutating func release() { members = [] }
}
