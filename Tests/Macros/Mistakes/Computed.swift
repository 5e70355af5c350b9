// Mistakes in computed members. The compiler checks each expectation, with the text of the corrections.
import Bindery

@Editable
struct Sources {
  var a = 1
  var b = 2

  @ComputedFrom var none: Int {
    // expected-error@-1 {{@ComputedFrom needs the stored members that the getter reads}}
    // expected-note@-2 {{list the members}} {{4-16=ComputedFrom(\\.a, \\.b)}}
    get { a + self.b }
    set { a = newValue }
  }
  @ReadOnly var missing: Int { a }
  // expected-error@-1 {{the computed member “missing” needs @ComputedFrom}}
  // expected-note@-2 {{add @ComputedFrom}} {{3-12=@ReadOnly @ComputedFrom(\\.a)}}
  @ComputedFrom(\.a) var incomplete: Int { a + b }
  // expected-warning@-1 {{the getter also reads “b”; without it, subscribers miss changes}}
  // expected-note@-2 {{add \\.b}} {{17-20=\\.a, \\.b}}
  @ComputedFrom(\.c) var unknown: Int { a }
  // expected-error@-1 {{“c” is not a stored member; list the stored members that the getter reads}}
  // expected-note@-2 {{list \\.a}} {{17-20=\\.a}}
  @ComputedFrom(\.a.words) var part: Int { a }
  // expected-error@-1 {{a source is a whole member; name “a” alone}}
  // expected-note@-2 {{use \\.a}} {{17-26=\\.a}}
  @ComputedFrom(\.self) var everything: Int { a + b }
}

@Editable
struct Getters {
  var a = 1

  @ComputedFrom(\.a) var failing: Int { get throws { a } }
  // expected-error@-1 {{the getter of a member can neither throw nor suspend}}
  @ComputedFrom(\.a) var changing: Int { mutating get { a } }
  // expected-error@-1 {{the getter of a member must not change the value}}
  // expected-note@-2 {{remove `mutating`}} {{42-51=}}
  @ComputedFrom(\.a, filling: .editsOnly) var filled: Int? { a }
  // expected-error@-1 {{`filling:` has no effect without a setter; leave it out}}
}

/// Reads that the macro must not mistake for members: local names, and members of other values.
@Editable
struct Reads {
  var count = 1
  var other = "a"
  var maybe: Int?

  @ComputedFrom(\.other, \.maybe) var size: Int {
    let count = other.count
    if let maybe { return maybe + count }
    return [1].map { count in count }.count + other.map(\.count).count
  }
}

extension Character {
  fileprivate var count: Int { 1 }
}
