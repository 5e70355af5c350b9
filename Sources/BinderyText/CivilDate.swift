/// A date of the proleptic Gregorian calendar.
package struct CivilDate: Sendable {
  package let year: Int
  /// 1 to 12.
  package let month: Int
  /// 1 to 31.
  package let day: Int

  /// Creates the date of a number of days since 1970-01-01.
  package init(dayNumber: Int) {
    // Years begin in March here, so that the leap day is the last day of the year. An era is a cycle of 400 years
    // (Hinnant, “chrono-Compatible Low-Level Date Algorithms”).
    let shifted = dayNumber + 719_468
    let era = (shifted < 0 ? shifted - 146_096 : shifted) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    year = yearOfEra + era * 400 + (marchMonth >= 10 ? 1 : 0)
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
  }

  /// Creates a date in the years 1 to 9999 from its components; returns nil if there is no such date.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The number of days since 1970-01-01.
  package var dayNumber: Int {
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The RFC 3339 `full-date`, such as `2026-11-21`; years outside of 0 to 9999 have a sign or more digits.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// ``text`` in ASCII.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    if year < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(decimal: UInt64(year.magnitude), width: 4)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(decimal: UInt64(month), width: 2)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(decimal: UInt64(day), width: 2)
    return bytes
  }

  /// Returns the number of days in a month.
  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// A point in time in UTC, with the precision of a millisecond.
package struct UTCTime: Sendable {
  /// The number of days since 1970-01-01.
  package let dayNumber: Int
  /// The time of day in milliseconds.
  private let milliseconds: Int

  /// The milliseconds from 1970 to the beginning of the year 1, and to the end of the year 9999.
  package static let range = -62_135_596_800_000...253_402_300_799_999

  /// Creates a time from the milliseconds since 1970.
  package init(milliseconds: Int) {
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    dayNumber = rest < 0 ? days - 1 : days
    self.milliseconds = rest < 0 ? rest + 86_400_000 : rest
  }

  /// The date.
  package var date: CivilDate { CivilDate(dayNumber: dayNumber) }

  /// Appends the time of day, such as `08:49:37`.
  package func appendTimeOfDay(to bytes: inout [UInt8]) {
    for (unit, end) in [(3_600_000, ":"), (60_000, ":"), (1_000, "")] as [(Int, String)] {
      bytes.append(decimal: UInt64(milliseconds / unit % (unit == 3_600_000 ? 24 : 60)), width: 2)
      bytes.append(contentsOf: end.utf8)
    }
  }

  /// The RFC 3339 `date-time` with milliseconds, such as `2026-11-21T11:30:00.123Z`.
  package var text: String {
    var bytes = date.bytes
    bytes.append(UInt8(ascii: "T"))
    appendTimeOfDay(to: &bytes)
    bytes.append(UInt8(ascii: "."))
    bytes.append(decimal: UInt64(milliseconds % 1_000), width: 3)
    bytes.append(UInt8(ascii: "Z"))
    return String(decoding: bytes, as: UTF8.self)
  }
}
