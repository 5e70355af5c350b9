public import Bindery
public import FoundationEssentials

/// The time of a visit.
public enum Time: Hashable, Bindable {
  case tonight
  case tomorrow
  case custom(Date)

  /// The case `custom` with its date.
  public static let custom = Case("custom", Time.custom) { if case .custom(let date) = $0 { date } else { nil } }
  public static let shape = Shape<Time>.cases(
    Case("tonight", Time.tonight),
    Case("tomorrow", Time.tomorrow),
    custom)
}
