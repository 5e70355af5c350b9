public import Bindery
import BinderyPostgreSQL
import FoundationEssentials

/// The program `bindery`: serves the menu with its web page, and advances its date.
public enum MenuCommand {}

extension MenuCommand: ServiceCommand {
  public static let name = "bindery"
  public static let title = "Bindery"
  public static let summary = "an HTTP JSON server for editable state"
  public static let version = "0.1.0"

  public static let servesModelFiles = true
  public static let stores: [any StoreDriver] = [.sqlite, .memory, .postgres]

  private static let timeZone = "--time-zone"

  public static let options: [CommandOption] = [
    .value(
      timeZone, "ZONE", "Time zone, such as Europe/Rome. Default: the zone in the store, or else TZ, or else UTC.",
      section: "Menu (built-in model only)", isStored: true,
      check: { zone in
        guard LocalClock(timeZone: zone) != nil else { throw UnknownTimeZone(name: zone) }
      },
      default: { environment in
        guard let zone = environment["TZ"], !zone.isEmpty else { return "UTC" }
        return name(ofZone: zone.hasPrefix(":") ? String(zone.dropFirst()) : zone)
      })
  ]

  /// Returns the name of a time zone, which `TZ` may give as the path of its file, such as `/etc/localtime`.
  static func name(ofZone zone: String) -> String {
    guard zone.hasPrefix("/") else { return zone }
    let path = URL(filePath: zone).resolvingSymlinksInPath().path
    return path.firstRange(of: "/zoneinfo/").map { String(path[$0.upperBound...]) } ?? zone
  }

  public static func makeInitial(_ launch: Launch) throws -> Menu {
    let now = try clock(launch) { launch.now }.now
    return Menu(today: now.today, evening: now.evening)
  }

  public static func configure(_ service: inout ServiceConfiguration<Menu>, _ launch: Launch) {
    service.example = .example
    service.files = WebPage.files
  }

  /// Updates the date in the menu until the service stops.
  public static func background(_ service: Service<Menu>, _ launch: Launch) async throws {
    let clock = try clock(launch) { service.now }
    while true { try await Task.sleep(for: clock.tick(service.store)) }
  }

  /// Returns the clock of the menu.
  ///
  /// - Parameter now: Returns the time, which is that of the store: servers that share it must agree on the day.
  private static func clock(_ launch: Launch, _ now: @escaping @Sendable () -> Date) throws -> DayClock {
    let zone = launch[timeZone] ?? "UTC"
    guard let clock = LocalClock(timeZone: zone) else { throw UnknownTimeZone(name: zone) }
    return DayClock(clock, now)
  }
}

/// The error of a time zone that the tz database does not contain.
struct UnknownTimeZone: Error, CustomStringConvertible {
  let name: String

  var description: String {
    "“\(name)” is not a time zone: expected an IANA name such as Europe/Rome (is tzdata installed?)"
  }
}
