import Bindery

/// A mistake in the declaration of a shape.
enum ShapeMistake: String, CaseIterable, Codable, Sendable {
  case duplicateMember, duplicateProperty, overlappingProperties, wrongOrder, unlistedSource, unlistedPlace, emptyName,
    elementWithoutID, twoIDs, invalidDefault
  case duplicateCase, sameCaseTwice, sameEquality, wrongClosure, forgottenCase, placeOfUnlistedCase
  case containsItself, containsItselfIndirectly, containsItselfInPayloads, containsItselfInComputedMember
  case memberOfClass, placeOfPosition

  /// What the message contains.
  var message: String {
    switch self {
    case .duplicateMember: "The shape of DuplicateMember has two members named “a”."
    case .duplicateProperty: "The shape of DuplicateProperty lists the same property as “a” and as “b”."
    case .overlappingProperties:
      "The shape of OverlappingProperties lists “range” and “upper”, of which one is a part of the other."
    case .wrongOrder: "The shape of WrongOrder lists “name” where its initializer takes “note”."
    case .unlistedSource: "The computed member “double” of UnlistedSource names the source \\UnlistedSource.hidden"
    case .unlistedPlace: "The shape of UnlistedPlace does not list \\UnlistedPlace.note."
    case .emptyName: "The shape of EmptyName has a member named “”, which no URL can address."
    case .elementWithoutID: "ElementWithoutID is an element of Identified, but its shape has no id."
    case .twoIDs: "The shape of TwoIDs declares “id” and “code” as its id."
    case .invalidDefault:
      "The default of “count” in InvalidDefault breaks its constraint: 0 is not an integer from 1 to 5"
    case .duplicateCase: "The shape of DuplicateCase has two cases named “a”."
    case .sameCaseTwice: "The shape of SameCaseTwice cannot tell the cases “a” and “b” apart."
    case .sameEquality: "The shape of SameEquality cannot tell the cases “a” and “b” apart."
    case .wrongClosure: "The case “b” of WrongClosure does not recognize its own values."
    case .forgottenCase: "The shape of ForgottenCase does not list the case “c”."
    case .placeOfUnlistedCase: "The shape of PlaceOfUnlistedCase lists no case “b” with a payload."
    case .containsItself: "The type ContainsItself contains itself"
    case .containsItselfIndirectly: "The type Parent contains itself"
    case .containsItselfInPayloads: "The type Sum contains itself"
    case .containsItselfInComputedMember: "The type Twin contains itself"
    case .memberOfClass: "The type Shared is a class, but a state consists of values."
    case .placeOfPosition: "Array<Int> is a collection, so it has no members."
    }
  }

  /// Makes the mistake.
  func make() {
    switch self {
    case .duplicateMember: _ = Store(DuplicateMember())
    case .duplicateProperty: _ = Store(DuplicateProperty())
    case .overlappingProperties: _ = Store(OverlappingProperties(range: Limits(lower: 1, upper: 2), upper: 3))
    case .wrongOrder: _ = Store(WrongOrder())
    case .unlistedSource: _ = Store(UnlistedSource())
    case .unlistedPlace: _ = UnlistedPlace.places.note
    case .emptyName: _ = Store(EmptyName())
    case .elementWithoutID: _ = [Identified<ElementWithoutID>].places
    case .twoIDs: _ = [Identified<TwoIDs>].places
    case .invalidDefault: _ = [InvalidDefault].places
    case .duplicateCase: _ = DuplicateCase.places
    case .sameCaseTwice: _ = SameCaseTwice.places
    case .sameEquality: _ = SameEquality.places
    case .wrongClosure: _ = WrongClosure.places
    case .forgottenCase: _ = ForgottenCase.places
    case .placeOfUnlistedCase: _ = PlaceOfUnlistedCase.places[case: PlaceOfUnlistedCase.b]
    case .containsItself: _ = ContainsItself.places
    case .containsItselfIndirectly: _ = Parent.places
    case .containsItselfInPayloads: _ = Sum.places
    case .containsItselfInComputedMember: _ = Twin.places
    case .memberOfClass: _ = HasShared.places
    case .placeOfPosition: _ = [Int].places.count
    }
  }
}

private final class Shared: Editable {
  let count: Int

  init(count: Int) { self.count = count }

  static let shape = EditableShape<Shared>.members(Shared.init, StoredMember("count", readOnly: \.count))
}

private struct HasShared: StateModel {
  var shared = Shared(count: 1)
  static let shape = EditableShape<HasShared>.members(HasShared.init, StoredMember("shared", \.shared))
}

private struct Limits: Editable {
  var lower, upper: Int
  static let shape = EditableShape<Limits>.members(
    Limits.init, StoredMember("lower", \.lower), StoredMember("upper", \.upper))
}

private struct OverlappingProperties: StateModel {
  var range: Limits

  init(range: Limits, upper: Int) { self.range = range }

  static let shape = EditableShape<OverlappingProperties>.members(
    OverlappingProperties.init, StoredMember("range", \.range), StoredMember("upper", \.range.upper))
}

private struct DuplicateMember: StateModel {
  var a = 1
  var b = ""
  static let shape = EditableShape<DuplicateMember>.members(
    DuplicateMember.init, StoredMember("a", \.a), StoredMember("a", \.b))
}

private struct DuplicateProperty: StateModel {
  var a = 1
  var b = 2
  static let shape = EditableShape<DuplicateProperty>.members(
    DuplicateProperty.init, StoredMember("a", \.a), StoredMember("b", \.a))
}

private struct TwoIDs: Editable, Identifiable {
  let id: String
  let code: Int
  static let shape = EditableShape<TwoIDs>.members(
    TwoIDs.init, StoredMember("id", id: \.id), StoredMember("code", id: \.code))
}

private struct WrongOrder: StateModel {
  var name: String? = "name"
  var count = 0
  var note: String? = "note"
  static let shape = EditableShape<WrongOrder>.members(
    WrongOrder.init(note:count:name:), StoredMember("name", \.name), StoredMember("count", \.count),
    StoredMember("note", \.note))

  init() {}

  init(note: String?, count: Int, name: String?) { (self.note, self.count, self.name) = (note, count, name) }
}

private struct UnlistedSource: StateModel {
  var a = 1
  var hidden = 2
  var double: Int { hidden &* 2 }
  static let shape = EditableShape<UnlistedSource>.members(
    { UnlistedSource(a: $0) }, StoredMember("a", \.a),
    computed: [ComputedMember("double", readOnly: \.double, from: \.hidden)])
}

private struct UnlistedPlace: StateModel {
  var a = 1
  var note = ""
  static let shape = EditableShape<UnlistedPlace>.members({ UnlistedPlace(a: $0) }, StoredMember("a", \.a))
}

private struct EmptyName: StateModel {
  var a = 1
  static let shape = EditableShape<EmptyName>.members(EmptyName.init, StoredMember("", \.a))
}

private struct ElementWithoutID: Editable, Identifiable {
  var id = "a"
  static let shape = EditableShape<ElementWithoutID>.members(ElementWithoutID.init, StoredMember("id", \.id))
}

private struct InvalidDefault: Editable {
  var count = 1
  static let shape = EditableShape<InvalidDefault>.members(
    InvalidDefault.init, StoredMember("count", \.count, .within(1...5), default: 0))
}

private enum DuplicateCase: Editable, Equatable {
  case a, b
  static let shape = EditableShape<DuplicateCase>.cases(
    EnumCase("a", DuplicateCase.a), EnumCase("a", DuplicateCase.b))
}

private enum SameCaseTwice: Editable, Equatable {
  case a(Int)
  case b(Int)
  static let shape = EditableShape<SameCaseTwice>.cases(
    EnumCase("a", SameCaseTwice.a) { if case .a(let value) = $0 { value } else { nil } },
    EnumCase("b", SameCaseTwice.a) { if case .a(let value) = $0 { value } else { nil } })
}

/// Its `==` regards all cases as equal.
private enum SameEquality: Editable, Equatable {
  case a, b
  static func == (a: SameEquality, b: SameEquality) -> Bool { true }
  static let shape = EditableShape<SameEquality>.cases(
    EnumCase("a", SameEquality.a), EnumCase("b", SameEquality.b))
}

private enum WrongClosure: Editable, Equatable {
  case a(Int)
  case b(size: Int)
  static let shape = EditableShape<WrongClosure>.cases(
    EnumCase("a", WrongClosure.a) { if case .a(let value) = $0 { value } else { nil } },
    EnumCase("b", label: "size", WrongClosure.b(size:), .atLeast(1)) { _ in nil })
}

private enum ForgottenCase: Editable, Equatable, CaseIterable {
  case a, b, c
  static let shape = EditableShape<ForgottenCase>.cases(
    EnumCase("a", ForgottenCase.a), EnumCase("b", ForgottenCase.b))
}

private enum PlaceOfUnlistedCase: Editable, Equatable {
  case a
  case b(Int)
  static let b = EnumCase("b", PlaceOfUnlistedCase.b) { if case .b(let value) = $0 { value } else { nil } }
  static let shape = EditableShape<PlaceOfUnlistedCase>.cases(EnumCase("a", PlaceOfUnlistedCase.a))
}

private struct ContainsItself: Editable {
  var children: [ContainsItself]
  static let shape = EditableShape<ContainsItself>.members(
    ContainsItself.init, StoredMember("children", \.children))
}

private struct Parent: Editable {
  var child: Child?
  static let shape = EditableShape<Parent>.members(Parent.init, StoredMember("child", \.child))
}

private struct Child: Editable {
  var parents: [String: Parent]
  static let shape = EditableShape<Child>.members(Child.init, StoredMember("parents", \.parents))
}

private indirect enum Sum: Editable {
  case number(Int)
  case of(left: Sum, right: Sum)
  static let of = EnumCase("of", Sum.of(left:right:), StoredMember("left", \.0), StoredMember("right", \.1)) {
    if case .of(let left, let right) = $0 { (left, right) } else { nil }
  }
  static let shape = EditableShape<Sum>.cases(
    EnumCase("number", Sum.number) { if case .number(let value) = $0 { value } else { nil } }, of)
}

private struct Twin: Editable {
  var name: String
  var other: Twin { Twin(name: name) }
  static let shape = EditableShape<Twin>.members(
    Twin.init, StoredMember("name", \.name), computed: [ComputedMember("other", readOnly: \.other)])
}
