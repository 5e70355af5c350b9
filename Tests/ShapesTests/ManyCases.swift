import Bindings
import Shapes

/// An enum of forty cases, every fourth with a payload.
enum Forty: Bindable, Equatable {
  case c0(Int)
  case c1
  case c2
  case c3
  case c4(Int)
  case c5
  case c6
  case c7
  case c8(Int)
  case c9
  case c10
  case c11
  case c12(Int)
  case c13
  case c14
  case c15
  case c16(Int)
  case c17
  case c18
  case c19
  case c20(Int)
  case c21
  case c22
  case c23
  case c24(Int)
  case c25
  case c26
  case c27
  case c28(Int)
  case c29
  case c30
  case c31
  case c32(Int)
  case c33
  case c34
  case c35
  case c36(Int)
  case c37
  case c38
  case c39

  static let shape = Shape<Forty>.cases(
    Case("c0", Forty.c0) { if case .c0(let it) = $0 { it } else { nil } },
    Case("c1", .c1) { if case .c1 = $0 { () } else { nil } },
    Case("c2", .c2) { if case .c2 = $0 { () } else { nil } },
    Case("c3", .c3) { if case .c3 = $0 { () } else { nil } },
    Case("c4", Forty.c4) { if case .c4(let it) = $0 { it } else { nil } },
    Case("c5", .c5) { if case .c5 = $0 { () } else { nil } },
    Case("c6", .c6) { if case .c6 = $0 { () } else { nil } },
    Case("c7", .c7) { if case .c7 = $0 { () } else { nil } },
    Case("c8", Forty.c8) { if case .c8(let it) = $0 { it } else { nil } },
    Case("c9", .c9) { if case .c9 = $0 { () } else { nil } },
    Case("c10", .c10) { if case .c10 = $0 { () } else { nil } },
    Case("c11", .c11) { if case .c11 = $0 { () } else { nil } },
    Case("c12", Forty.c12) { if case .c12(let it) = $0 { it } else { nil } },
    Case("c13", .c13) { if case .c13 = $0 { () } else { nil } },
    Case("c14", .c14) { if case .c14 = $0 { () } else { nil } },
    Case("c15", .c15) { if case .c15 = $0 { () } else { nil } },
    Case("c16", Forty.c16) { if case .c16(let it) = $0 { it } else { nil } },
    Case("c17", .c17) { if case .c17 = $0 { () } else { nil } },
    Case("c18", .c18) { if case .c18 = $0 { () } else { nil } },
    Case("c19", .c19) { if case .c19 = $0 { () } else { nil } },
    Case("c20", Forty.c20) { if case .c20(let it) = $0 { it } else { nil } },
    Case("c21", .c21) { if case .c21 = $0 { () } else { nil } },
    Case("c22", .c22) { if case .c22 = $0 { () } else { nil } },
    Case("c23", .c23) { if case .c23 = $0 { () } else { nil } },
    Case("c24", Forty.c24) { if case .c24(let it) = $0 { it } else { nil } },
    Case("c25", .c25) { if case .c25 = $0 { () } else { nil } },
    Case("c26", .c26) { if case .c26 = $0 { () } else { nil } },
    Case("c27", .c27) { if case .c27 = $0 { () } else { nil } },
    Case("c28", Forty.c28) { if case .c28(let it) = $0 { it } else { nil } },
    Case("c29", .c29) { if case .c29 = $0 { () } else { nil } },
    Case("c30", .c30) { if case .c30 = $0 { () } else { nil } },
    Case("c31", .c31) { if case .c31 = $0 { () } else { nil } },
    Case("c32", Forty.c32) { if case .c32(let it) = $0 { it } else { nil } },
    Case("c33", .c33) { if case .c33 = $0 { () } else { nil } },
    Case("c34", .c34) { if case .c34 = $0 { () } else { nil } },
    Case("c35", .c35) { if case .c35 = $0 { () } else { nil } },
    Case("c36", Forty.c36) { if case .c36(let it) = $0 { it } else { nil } },
    Case("c37", .c37) { if case .c37 = $0 { () } else { nil } },
    Case("c38", .c38) { if case .c38 = $0 { () } else { nil } },
    Case("c39", .c39) { if case .c39 = $0 { () } else { nil } })
}
