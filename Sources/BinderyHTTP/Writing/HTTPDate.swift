/// Formatting of dates in header fields (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  /// Returns the 29 bytes of a formatted date.
  ///
  /// - Parameter seconds: The seconds since 1970-01-01 in UTC, without leap seconds; clamped to the years 1 to 9999.
  package static func bytes(seconds: Int64) -> [UInt8] {
    // Counted from 0001-01-01, so that divisions round down.
    let secondsSinceYear1 = min(max(seconds, -secondsTo1970), 253_402_300_799) + secondsTo1970
    let days = Int(secondsSinceYear1 / 86_400)
    let time = Int(secondsSinceYear1 % 86_400)
    let date = civil(days: days)
    let weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][days % 7]
    let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][date.month - 1]
    var bytes = Array("\(weekday), ".utf8)
    append(date.day, digits: 2, to: &bytes)
    bytes += Array(" \(month) ".utf8)
    append(date.year, digits: 4, to: &bytes)
    bytes.append(UInt8(ascii: " "))
    append(time / 3600, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    append(time / 60 % 60, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    append(time % 60, digits: 2, to: &bytes)
    return bytes + Array(" GMT".utf8)
  }

  /// The seconds from 0001-01-01 to 1970-01-01.
  private static var secondsTo1970: Int64 { 62_135_596_800 }

  /// Returns the Gregorian date of a day number counted from 0001-01-01.
  ///
  /// The calculation uses 400-year cycles and years that start in March, so that the leap day is the last of its year.
  private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 306
    let cycle = shifted / 146_097
    let dayOfCycle = shifted % 146_097
    let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0), month, day)
  }

  private static func append(_ number: Int, digits: Int, to bytes: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }
}
