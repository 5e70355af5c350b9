import BinderyCore
import FoundationEssentials

extension Menu {
  /// The menu as documents show it: a new one, on a day that does not change.
  public static let example = Menu(
    today: Day(number: 20_778), evening: Date(timeIntervalSince1970: 20_778 * 86_400 + 19 * 3_600))
}
