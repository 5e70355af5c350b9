// Mistakes in attributes. The compiler checks each expectation, with the text of the corrections.
import Bindery

@Editable
struct Conflicts {
  @Constrained(.atLeast(1)) let a: Int
  // expected-error@-1 {{@Constrained does not apply to a read-only member}}
  // expected-note@-2 {{remove @Constrained}} {{3-29=}}
  @Hidden @ReadOnly var b: Int = 1
  // expected-error@-1 {{@ReadOnly does not apply to a hidden member}}
  // expected-note@-2 {{remove @ReadOnly}} {{11-21=}}
  @ComputedFrom(\.a) var c: Int
  // expected-error@-1 {{@ComputedFrom does not apply to “c”, which is stored}}
  // expected-note@-2 {{remove @ComputedFrom}} {{3-22=}}
  @Constrained(.atLeast(1), of: "x") var d: Int
  // expected-error@-1 {{`of:` names a payload of a case; leave it out for a property}}
  @ID @ReadOnly var e: Int
  // expected-error@-1 {{@ReadOnly does not apply to an id, which is always read-only}}
  // expected-note@-2 {{remove @ReadOnly}} {{7-17=}}
}

extension Conflicts {
  @ComputedFrom(\.a) var sum: Int { a + b }
  // expected-error@-1 {{@ComputedFrom has no effect in an extension, which @Editable cannot see}}
  // expected-note@-2 {{remove @ComputedFrom}} {{3-22=}}
}

struct Unmarked {
  @ReadOnly var a: Int
  // expected-error@-1 {{@ReadOnly has no effect in a type without @Editable}}
  // expected-note@-2 {{remove @ReadOnly}} {{3-13=}}
}

@Editable
struct Methods {
  @ReadOnly func a() {}
  // expected-error@-1 {{@ReadOnly applies only to properties of structs and to cases of enums}}
  // expected-note@-2 {{remove @ReadOnly}} {{3-13=}}
  @Hidden static let b = 1
  // expected-error@-1 {{@Hidden applies only to properties of structs and to cases of enums}}
  // expected-note@-2 {{remove @Hidden}} {{3-11=}}
}
