import CBinderyLinux

/// Calendar calculations in the time zone of the process, performed by glibc.
package struct LocalTime: Sendable {
  /// The name of the zone in the tz database.
  package let zone: String

  /// Sets the time zone of the whole process. Must be called before other threads start, because it changes the
  /// environment.
  ///
  /// - Returns: nil if the tz database has no such zone. glibc would silently use UTC instead.
  package init?(selecting zone: String) {
    let isSafe = !zone.isEmpty && !zone.hasPrefix("/") && !zone.split(separator: "/").contains("..")
    guard isSafe, zone == "UTC" || Self.isZoneFile("/usr/share/zoneinfo/" + zone) else { return nil }
    self.zone = zone
    _ = unsafe setenv("TZ", zone, 1)
    tzset()
  }

  /// Returns whether a file describes a time zone (RFC 9636). The tz database also has directories and tables.
  private static func isZoneFile(_ path: String) -> Bool {
    File.bytes(of: path, at: 0, count: 4) == Array("TZif".utf8)
  }

  /// Returns the local date at a time in milliseconds since 1970-01-01 in UTC.
  package func date(atMilliseconds time: Int64) -> (year: Int, month: Int, day: Int) {
    var seconds = time_t((Double(time) / 1000).rounded(.down))
    var parts = unsafe tm()
    guard unsafe localtime_r(&seconds, &parts) != nil else { return (1970, 1, 1) }
    return unsafe (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
  }

  /// Returns the time of a full hour on a local date, in milliseconds since 1970-01-01 in UTC. The day may exceed the
  /// length of the month. A time that `Int64` cannot represent is clamped.
  package func milliseconds(year: Int, month: Int, day: Int, hour: Int) -> Int64 {
    var parts = unsafe tm()
    unsafe parts.tm_year = Int32(clamping: max(year, .min + 1900) - 1900)
    unsafe parts.tm_mon = Int32(clamping: max(month, .min + 1) - 1)
    unsafe parts.tm_mday = Int32(clamping: day)
    unsafe parts.tm_hour = Int32(clamping: hour)
    unsafe parts.tm_isdst = -1
    unsafe __errno_location().pointee = 0
    let seconds = unsafe mktime(&parts)
    // -1 is also the last second of 1969.
    if seconds == -1, unsafe __errno_location().pointee == EOVERFLOW { return year < 1970 ? .min : .max }
    return Clock.units(per: 1000, seconds: Int64(seconds))
  }
}
