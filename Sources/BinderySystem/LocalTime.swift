import CBinderyLinux

/// The calendar of the place where the process is, as glibc knows it.
package struct LocalTime: Sendable {
  /// The zone's name in the tz database, or a POSIX rule.
  package let zone: String

  /// Makes a zone that of the whole process: to be done before any other thread starts.
  ///
  /// - Returns: nil where the tz database has no such zone; glibc would take it for UTC without a word.
  package init?(selecting zone: String) {
    let isSafe = !zone.isEmpty && !zone.hasPrefix("/") && !zone.split(separator: "/").contains("..")
    guard isSafe else { return nil }
    let isKnown = unsafe access("/usr/share/zoneinfo/" + zone, R_OK) == 0
    guard isKnown || zone == "UTC" else { return nil }
    self.zone = zone
    _ = unsafe setenv("TZ", zone, 1)
    tzset()
  }

  /// The civil date at a moment in milliseconds since 1970 in UTC.
  package func date(atMilliseconds moment: Int64) -> (year: Int, month: Int, day: Int) {
    var seconds = time_t((Double(moment) / 1000).rounded(.down))
    var parts = unsafe tm()
    guard unsafe localtime_r(&seconds, &parts) != nil else { return (1970, 1, 1) }
    return unsafe (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
  }

  /// The moment of a full hour of a date, in milliseconds since 1970 in UTC; the day may be beyond its month's end.
  package func milliseconds(year: Int, month: Int, day: Int, hour: Int) -> Int64 {
    var parts = unsafe tm()
    unsafe parts.tm_year = Int32(clamping: year - 1900)
    unsafe parts.tm_mon = Int32(clamping: month - 1)
    unsafe parts.tm_mday = Int32(clamping: day)
    unsafe parts.tm_hour = Int32(clamping: hour)
    unsafe parts.tm_isdst = -1
    return unsafe Int64(mktime(&parts)) * 1000
  }
}
