import BinderyCore

/// An enum of forty cases, every fourth with a payload.
///
/// Each case is declared separately, because the compiler is slow with one large expression.
enum Forty: Bindable, Equatable {
  case c0(Int)
  case c1, c2, c3
  case c4(Int)
  case c5, c6, c7
  case c8(Int)
  case c9, c10, c11
  case c12(Int)
  case c13, c14, c15
  case c16(Int)
  case c17, c18, c19
  case c20(Int)
  case c21, c22, c23
  case c24(Int)
  case c25, c26, c27
  case c28(Int)
  case c29, c30, c31
  case c32(Int)
  case c33, c34, c35
  case c36(Int)
  case c37, c38, c39

  private static let d0: Case<Forty, Int> = Case("c0", Forty.c0) { if case .c0(let it) = $0 { it } else { nil } }
  private static let d1: Case<Forty, Void> = Case("c1", Forty.c1) { if case .c1 = $0 { () } else { nil } }
  private static let d2: Case<Forty, Void> = Case("c2", Forty.c2) { if case .c2 = $0 { () } else { nil } }
  private static let d3: Case<Forty, Void> = Case("c3", Forty.c3) { if case .c3 = $0 { () } else { nil } }
  private static let d4: Case<Forty, Int> = Case("c4", Forty.c4) { if case .c4(let it) = $0 { it } else { nil } }
  private static let d5: Case<Forty, Void> = Case("c5", Forty.c5) { if case .c5 = $0 { () } else { nil } }
  private static let d6: Case<Forty, Void> = Case("c6", Forty.c6) { if case .c6 = $0 { () } else { nil } }
  private static let d7: Case<Forty, Void> = Case("c7", Forty.c7) { if case .c7 = $0 { () } else { nil } }
  private static let d8: Case<Forty, Int> = Case("c8", Forty.c8) { if case .c8(let it) = $0 { it } else { nil } }
  private static let d9: Case<Forty, Void> = Case("c9", Forty.c9) { if case .c9 = $0 { () } else { nil } }
  private static let d10: Case<Forty, Void> = Case("c10", Forty.c10) { if case .c10 = $0 { () } else { nil } }
  private static let d11: Case<Forty, Void> = Case("c11", Forty.c11) { if case .c11 = $0 { () } else { nil } }
  private static let d12: Case<Forty, Int> = Case("c12", Forty.c12) { if case .c12(let it) = $0 { it } else { nil } }
  private static let d13: Case<Forty, Void> = Case("c13", Forty.c13) { if case .c13 = $0 { () } else { nil } }
  private static let d14: Case<Forty, Void> = Case("c14", Forty.c14) { if case .c14 = $0 { () } else { nil } }
  private static let d15: Case<Forty, Void> = Case("c15", Forty.c15) { if case .c15 = $0 { () } else { nil } }
  private static let d16: Case<Forty, Int> = Case("c16", Forty.c16) { if case .c16(let it) = $0 { it } else { nil } }
  private static let d17: Case<Forty, Void> = Case("c17", Forty.c17) { if case .c17 = $0 { () } else { nil } }
  private static let d18: Case<Forty, Void> = Case("c18", Forty.c18) { if case .c18 = $0 { () } else { nil } }
  private static let d19: Case<Forty, Void> = Case("c19", Forty.c19) { if case .c19 = $0 { () } else { nil } }
  private static let d20: Case<Forty, Int> = Case("c20", Forty.c20) { if case .c20(let it) = $0 { it } else { nil } }
  private static let d21: Case<Forty, Void> = Case("c21", Forty.c21) { if case .c21 = $0 { () } else { nil } }
  private static let d22: Case<Forty, Void> = Case("c22", Forty.c22) { if case .c22 = $0 { () } else { nil } }
  private static let d23: Case<Forty, Void> = Case("c23", Forty.c23) { if case .c23 = $0 { () } else { nil } }
  private static let d24: Case<Forty, Int> = Case("c24", Forty.c24) { if case .c24(let it) = $0 { it } else { nil } }
  private static let d25: Case<Forty, Void> = Case("c25", Forty.c25) { if case .c25 = $0 { () } else { nil } }
  private static let d26: Case<Forty, Void> = Case("c26", Forty.c26) { if case .c26 = $0 { () } else { nil } }
  private static let d27: Case<Forty, Void> = Case("c27", Forty.c27) { if case .c27 = $0 { () } else { nil } }
  private static let d28: Case<Forty, Int> = Case("c28", Forty.c28) { if case .c28(let it) = $0 { it } else { nil } }
  private static let d29: Case<Forty, Void> = Case("c29", Forty.c29) { if case .c29 = $0 { () } else { nil } }
  private static let d30: Case<Forty, Void> = Case("c30", Forty.c30) { if case .c30 = $0 { () } else { nil } }
  private static let d31: Case<Forty, Void> = Case("c31", Forty.c31) { if case .c31 = $0 { () } else { nil } }
  private static let d32: Case<Forty, Int> = Case("c32", Forty.c32) { if case .c32(let it) = $0 { it } else { nil } }
  private static let d33: Case<Forty, Void> = Case("c33", Forty.c33) { if case .c33 = $0 { () } else { nil } }
  private static let d34: Case<Forty, Void> = Case("c34", Forty.c34) { if case .c34 = $0 { () } else { nil } }
  private static let d35: Case<Forty, Void> = Case("c35", Forty.c35) { if case .c35 = $0 { () } else { nil } }
  private static let d36: Case<Forty, Int> = Case("c36", Forty.c36) { if case .c36(let it) = $0 { it } else { nil } }
  private static let d37: Case<Forty, Void> = Case("c37", Forty.c37) { if case .c37 = $0 { () } else { nil } }
  private static let d38: Case<Forty, Void> = Case("c38", Forty.c38) { if case .c38 = $0 { () } else { nil } }
  private static let d39: Case<Forty, Void> = Case("c39", Forty.c39) { if case .c39 = $0 { () } else { nil } }

  static let shape = Shape<Forty>.cases(
    d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15, d16, d17, d18, d19,
    d20, d21, d22, d23, d24, d25, d26, d27, d28, d29, d30, d31, d32, d33, d34, d35, d36, d37, d38, d39)
}
