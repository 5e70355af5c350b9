import BinderyCore
import BinderyJSON
import FoundationEssentials
import Testing

struct DateTests {
  @Test(arguments: [
    ("2026-11-21T19:00:00Z", "2026-11-21T19:00:00.000Z"),
    ("2026-11-21t19:00:00.1z", "2026-11-21T19:00:00.100Z"),
    ("2026-11-21T19:00:00.123000000000Z", "2026-11-21T19:00:00.123Z"),
    ("2026-11-21T19:00:00+05:30", "2026-11-21T13:30:00.000Z"),
    ("2026-11-21T19:00:00-00:00", "2026-11-21T19:00:00.000Z"),
    ("2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00.000Z"),
    ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
    ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
  ])
  func `a date is written in UTC with milliseconds`(text: String, canonical: String) throws {
    #expect(try Draft<Date>(json: "\"\(text)\"").json == "\"\(canonical)\"")
  }

  @Test(arguments: [
    "2026-11-21", "2026-11-21T19:00:00", "2026-11-21 19:00:00Z", "2026-11-21T19:00Z", "2026-11-21T24:00:00Z",
    "2026-11-21T19:60:00Z", "2016-12-31T23:59:60Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-21T19:00:00.Z",
    "2026-11-21T19:00:00.1234Z", "2026-11-21T19:00:00+24:00", "2026-11-21T19:00:00+05:60", "2026-11-21T19:00:00+0530",
    "0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "10000-01-01T00:00:00Z",
    "-001-01-01T00:00:00Z", "2026-11-21T19:00:00Z ", "", "２026-11-21T19:00:00Z",
  ])
  func `a text that is not a date and time with at most milliseconds is invalid`(text: String) {
    #expect(throws: ValidationError.self) { try Draft<Date>(json: "\"\(text)\"") }
  }

  @Test(arguments: [-1e300, -1e12, 1e12, 1e300, Double.infinity, -.infinity, .nan])
  func `a date out of range is refused, and clamped where a getter returns it`(seconds: Double) throws {
    let json = Draft(Date(timeIntervalSince1970: seconds)).json
    #expect(["\"0001-01-01T00:00:00.000Z\"", "\"9999-12-31T23:59:59.999Z\""].contains(json))
    #expect(try Draft<Date>(json: json).json == json)
    #expect(throws: ValidationError.self) { try Date.shape.check(Date(timeIntervalSince1970: seconds)) }
  }

  @Test(arguments: [.distantPast, .distantFuture, Date(timeIntervalSince1970: 253_402_300_799.9994)])
  func `a date in range is stored`(date: Date) throws {
    #expect(throws: Never.self) { try Date.shape.check(date) }
    #expect(try Date.shape.areSame(Draft<Date>(json: Draft(date).json).root, date))
  }

  @Test func `a timestamp of any clock is formatted, clamped to the years 1 to 9999`() {
    #expect(Timestamp(milliseconds: .min).text == "0001-01-01T00:00:00.000Z")
    #expect(Timestamp(milliseconds: -2_208_988_800_000).text == "1900-01-01T00:00:00.000Z")
    #expect(Timestamp(milliseconds: 9_223_372_036_855).text == "2262-04-11T23:47:16.855Z")
    #expect(Timestamp(milliseconds: .max).text == "9999-12-31T23:59:59.999Z")
    #expect(CalendarDay(number: .min).description == "0001-01-01")
    #expect(CalendarDay(number: .max).advanced(by: .max).description == "9999-12-31")
  }

  @Test func `dates are compared by whole milliseconds`() {
    let date = Date(timeIntervalSince1970: 1_800_000_000.1234)
    #expect(Date.shape.areSame(date, Date(timeIntervalSince1970: 1_800_000_000.123)))
    #expect(!Date.shape.areSame(date, Date(timeIntervalSince1970: 1_800_000_000.124)))
  }
}

struct DayTests {
  @Test(arguments: [
    ("1970-01-01", 0, 4), ("1969-12-31", -1, 3), ("2000-02-29", 11_016, 2), ("2026-11-21", 20_778, 6),
    ("0001-01-01", -719_162, 1), ("9999-12-31", 2_932_896, 5),
  ])
  func `a day has a number and a weekday`(text: String, number: Int, weekday: Int) throws {
    let day = try #require(CalendarDay(text))
    #expect(day.number == number)
    #expect(day.weekday == weekday)
    #expect(day.description == text)
  }

  @Test(arguments: [
    "2026-02-29", "1900-02-29", "2100-02-29", "2026-02-30", "2026-04-31", "2026-1-01", "26-01-01", "2026-01-1",
    "0000-01-01",
    "10000-01-01", "2026/01/01", "2026-01-01Z", " 2026-01-01", "2026-01-00", "2026-00-01", "2026-13-01", "",
  ])
  func `a text that is not a day is invalid`(text: String) {
    #expect(CalendarDay(text) == nil)
    #expect(throws: ValidationError.self) { try Draft<CalendarDay>(json: "\"\(text)\"") }
  }

  @Test func `every day of the calendar follows the one before`() {
    // Four centuries are a whole cycle of leap years.
    var (year, month, day) = (1, 1, 1)
    for number in CalendarDay.range.lowerBound.number..<(CalendarDay.range.lowerBound.number + 146_097 + 366) {
      let one = CalendarDay(number: number)
      guard one.components == (year, month, day), CalendarDay(year: year, month: month, day: day) == one else {
        Issue.record("\(number) is not \(year)-\(month)-\(day)")
        return
      }
      day += 1
      if CalendarDay(year: year, month: month, day: day) == nil { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    #expect(year == 402)
  }

  @Test func `days out of range are clamped`() {
    #expect(CalendarDay.range.upperBound.advanced(by: 1) == CalendarDay.range.upperBound)
    #expect(CalendarDay.range.lowerBound.advanced(by: .min) == CalendarDay.range.lowerBound)
    #expect(CalendarDay(number: .max) == CalendarDay.range.upperBound)
    #expect(CalendarDay(number: 5).advanced(by: .max) == CalendarDay.range.upperBound)
  }
}
