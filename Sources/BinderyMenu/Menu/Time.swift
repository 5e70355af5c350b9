public import Bindery
public import FoundationEssentials

/// The time of a visit.
public enum Time: Hashable, Editable {
  case tonight
  case tomorrow
  case custom(Date)

  /// The case `custom` with its date.
  public static let custom = EnumCase("custom", Time.custom) { if case .custom(let date) = $0 { date } else { nil } }
  public static let shape = EditableShape<Time>.cases(
    EnumCase("tonight", Time.tonight),
    EnumCase("tomorrow", Time.tomorrow),
    custom)
}
