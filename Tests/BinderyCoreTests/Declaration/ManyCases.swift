import BinderyCore

/// An enum of forty cases, every fourth with a payload.
///
/// Cases with a payload are declared separately, because the compiler is slow with one large expression.
enum Forty: Editable, Equatable {
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

  private static let d0 = EnumCase("c0", Forty.c0) { if case .c0(let it) = $0 { it } else { nil } }
  private static let d4 = EnumCase("c4", Forty.c4) { if case .c4(let it) = $0 { it } else { nil } }
  private static let d8 = EnumCase("c8", Forty.c8) { if case .c8(let it) = $0 { it } else { nil } }
  private static let d12 = EnumCase("c12", Forty.c12) { if case .c12(let it) = $0 { it } else { nil } }
  private static let d16 = EnumCase("c16", Forty.c16) { if case .c16(let it) = $0 { it } else { nil } }
  private static let d20 = EnumCase("c20", Forty.c20) { if case .c20(let it) = $0 { it } else { nil } }
  private static let d24 = EnumCase("c24", Forty.c24) { if case .c24(let it) = $0 { it } else { nil } }
  private static let d28 = EnumCase("c28", Forty.c28) { if case .c28(let it) = $0 { it } else { nil } }
  private static let d32 = EnumCase("c32", Forty.c32) { if case .c32(let it) = $0 { it } else { nil } }
  private static let d36 = EnumCase("c36", Forty.c36) { if case .c36(let it) = $0 { it } else { nil } }

  static let shape = EditableShape<Forty>.cases(
    d0, EnumCase("c1", Forty.c1), EnumCase("c2", Forty.c2), EnumCase("c3", Forty.c3),
    d4, EnumCase("c5", Forty.c5), EnumCase("c6", Forty.c6), EnumCase("c7", Forty.c7),
    d8, EnumCase("c9", Forty.c9), EnumCase("c10", Forty.c10), EnumCase("c11", Forty.c11),
    d12, EnumCase("c13", Forty.c13), EnumCase("c14", Forty.c14), EnumCase("c15", Forty.c15),
    d16, EnumCase("c17", Forty.c17), EnumCase("c18", Forty.c18), EnumCase("c19", Forty.c19),
    d20, EnumCase("c21", Forty.c21), EnumCase("c22", Forty.c22), EnumCase("c23", Forty.c23),
    d24, EnumCase("c25", Forty.c25), EnumCase("c26", Forty.c26), EnumCase("c27", Forty.c27),
    d28, EnumCase("c29", Forty.c29), EnumCase("c30", Forty.c30), EnumCase("c31", Forty.c31),
    d32, EnumCase("c33", Forty.c33), EnumCase("c34", Forty.c34), EnumCase("c35", Forty.c35),
    d36, EnumCase("c37", Forty.c37), EnumCase("c38", Forty.c38), EnumCase("c39", Forty.c39))
}
