// Mistakes in enums. The compiler checks each expectation, with the text of the corrections: `swiftc -verify`.
import Bindery

@Editable
enum List {
  case end
  indirect case more(List?)
  // expected-error@-1 {{“List” contains itself, but shapes cannot be recursive}}
}

@Editable
enum Move {
  case by(Int, Int)
  // expected-error@-1 {{several payloads need labels, which are their names in JSON}}
  // expected-note@-2 {{add a label}} {{11-14=<#label#>: Int}}
}

@Editable
enum Turn {
  case to(x: Int, _ y: Int)
  // expected-error@-1 {{several payloads need labels, which are their names in JSON}}
  // expected-note@-2 {{add a label}} {{19-27=y: Int}}
}

@Editable
enum Level: String {
  // expected-error@-1 {{the schema of an enum with raw values lists all of them, so “Level” must be CaseIterable}}
  // expected-note@-2 {{add CaseIterable}} {{13-19=String, CaseIterable}}
  case low, high
}

@Editable
enum Digit: UInt8, CaseIterable {
  // expected-error@-1 {{raw values of type “UInt8” cannot be in JSON; use String, Int, Double or Float}}
  case zero, one
}

@Editable
enum Speed: Int, CaseIterable {
  @Named("slow") case low = 1
  // expected-error@-1 {{@Named does not apply to a case with a raw value, which is its JSON}}
  // expected-note@-2 {{remove @Named}} {{3-18=}}
}

@Editable
enum Limits {
  @Constrained(.atLeast(1)) case none
  // expected-error@-1 {{“none” has no payload to constrain}}
  // expected-note@-2 {{remove @Constrained}} {{3-29=}}
  @Constrained(.atLeast(1)) case point(x: Int, y: Int)
  // expected-error@-1 {{“point” has several payloads; name one with `of:`: x, y}}
  // expected-note@-2 {{constrain “x”}} {{16-27=.atLeast(1), of: "x"}}
  @Constrained(.atLeast(1), of: "z") case size(width: Int)
  // expected-error@-1 {{“size” has no payload “z”; name one with `of:`: width}}
  // expected-note@-2 {{use “width”}} {{33-36="width"}}
}

@Editable
enum Names {
  @Named("one") case a, b
  // expected-error@-1 {{@Named needs a `case` of its own}}
  @Hidden case c
  // expected-error@-1 {{@Hidden does not apply to a case}}
  // expected-note@-2 {{remove @Hidden}} {{3-11=}}
  @Named("c") case d
  // expected-error@-1 {{duplicate case "c" in JSON; rename one with @Named}}
}

@Editable
enum Branches {
  #if DEBUG
  // expected-error@-1 {{@Editable cannot read cases in an #if block}}
  case a
  #endif
  case b
}
