// Mistakes in shapes that are declared by hand and that the compiler finds. ShapeMistake.swift in Tests/BinderyTests has
// those that are found at start.
import Bindery

struct OrderOfTypes: Editable {
  var name: String
  var count: Int

  static let shape = EditableShape<OrderOfTypes>.members(
    OrderOfTypes.init(name:count:),
    StoredMember("count", \.count),
    // expected-error@-1 {{cannot convert value of type 'WritableKeyPath<OrderOfTypes, Int>' to expected argument type}}
    // expected-note@-2 {{arguments to generic parameter 'Value' ('Int' and 'String') are expected to be equal}}
    StoredMember("name", \.name))
  // expected-error@-1 {{cannot convert value of type 'WritableKeyPath<OrderOfTypes, String>' to expected argument type}}
  // expected-note@-2 {{arguments to generic parameter 'Value' ('String' and 'Int') are expected to be equal}}
}

struct MissingMember: Editable {
  var name: String
  var count: Int

  static let shape = EditableShape<MissingMember>.members(
    MissingMember.init(name:count:),
    // expected-error@-1 {{missing argument for parameter #2 in call}}
    StoredMember("name", \.name))
}

struct WritableConstant: Editable {
  let serial: String

  static let shape = EditableShape<WritableConstant>.members(
    WritableConstant.init(serial:),
    StoredMember("serial", \.serial))
  // expected-error@-1 {{missing argument label 'readOnly:' in call}}
}

struct UnsupportedType: Editable {
  var letter: Character

  static let shape = EditableShape<UnsupportedType>.members(
    // expected-error@-1 {{static method 'members(_:_:computed:)' requires that 'Character' conform to 'Editable'}}
    UnsupportedType.init(letter:),
    StoredMember("letter", \.letter))
  // expected-error@-1 {{generic struct 'StoredMember' requires that 'Character' conform to 'Editable'}}
}

enum CaseWithoutClosure: Editable {
  case off
  case on(Int)

  static let shape = EditableShape<CaseWithoutClosure>.cases(
    EnumCase("off", CaseWithoutClosure.off))
  // expected-error@-1 {{initializer 'init(_:_:)' requires that 'CaseWithoutClosure' conform to 'Equatable'}}
}
