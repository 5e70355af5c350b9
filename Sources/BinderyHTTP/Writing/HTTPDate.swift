import BinderyText

/// Formatting of dates in header fields (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  /// Returns the 29 bytes of a formatted date.
  ///
  /// - Parameter seconds: The seconds since 1970-01-01 in UTC, without leap seconds; clamped to the years 1 to 9999.
  package static func bytes(seconds: Int64) -> [UInt8] {
    let (first, last) = (UTCTime.range.lowerBound / 1_000, UTCTime.range.upperBound / 1_000)
    let time = UTCTime(milliseconds: min(max(Int(seconds), first), last) * 1_000)
    let date = time.date
    // The first day of the year 1 was a Monday.
    let weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][(time.dayNumber + 719_162) % 7]
    let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][date.month - 1]
    var bytes = Array("\(weekday), ".utf8)
    bytes.append(decimal: UInt64(date.day), width: 2)
    bytes += Array(" \(month) ".utf8)
    bytes.append(decimal: UInt64(date.year), width: 4)
    bytes.append(UInt8(ascii: " "))
    time.appendTimeOfDay(to: &bytes)
    return bytes + Array(" GMT".utf8)
  }
}
