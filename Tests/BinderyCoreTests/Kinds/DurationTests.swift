import BinderyCore
import BindingLaws
import Testing

struct DurationTests {
  @Test(arguments: [
    ("PT0S", "PT0S"), ("-PT0S", "PT0S"), ("P0D", "PT0S"), ("PT1.5S", "PT1.5S"), ("-PT1.5S", "-PT1.5S"),
    ("PT0.000000001S", "PT0.000000001S"), ("-PT0.000000001S", "-PT0.000000001S"), ("PT0.50S", "PT0.5S"),
    ("PT1.000S", "PT1S"), ("PT00001S", "PT1S"), ("PT60S", "PT1M"), ("PT3600S", "PT1H"), ("PT3661S", "PT1H1M1S"),
    ("PT3600.5S", "PT1H0.5S"), ("PT90M", "PT1H30M"), ("P1D", "PT24H"), ("P1W", "PT168H"), ("-P1DT12H", "-PT36H"),
    ("P1W2DT3H4M5.006S", "PT219H4M5.006S"), ("PT0.1000000000000S", "PT0.1S"), ("PT1H30S", "PT1H30S"),
    ("PT170141183460469231731.687303715S", "PT47261439850130342H8M51.687303715S"),
    ("-PT170141183460469231731.687303715S", "-PT47261439850130342H8M51.687303715S"),
  ])
  func `a duration has a canonical form`(text: String, canonical: String) throws {
    let draft = try Draft<Duration>(json: "\"\(text)\"")
    #expect(draft.json == "\"\(canonical)\"")
    #expect(try Draft<Duration>(json: draft.json).root == draft.root)
  }

  @Test(arguments: [
    "", "P", "PT", "-P", "-PT", "P1Y", "P1M", "P1Y2M", "P1DT", "P1WT", "T1S", "1S", "P1S", "P1H", "PT1D", "PT1W", "PT1",
    "P1",
    "PTS", "PT.5S", "PT1.S", "PT1,5S", "PT0.5M", "PT0.0H", "P0.5D", "PT1S1M", "PT1M1H", "P1D1W", "PT1S1S", "PT1ST1S",
    "PT1HT1M", "PTT1S", "+PT1S", "PT-1S", "PT+1S", "--PT1S", "pt1s", "PT1s", " PT1S", "PT1S ", "PT1 S", "PT1S\\u0000",
    "PT0.0000000001S", "PT1.0000000009S", "PT170141183460469231731.687303716S", "PT170141183460469231732S",
    "P99999999999999999999999999999999999999999999D", "PT１S", "P1\\uD83D\\uDE00D",
  ])
  func `any other text is invalid`(text: String) {
    let error = #expect(throws: ValidationError.self) { try Draft<Duration>(json: "\"\(text)\"") }
    #expect(error?.expected?.hasPrefix("an ISO 8601 duration of weeks, days, hours") == true)
  }

  @Test func `durations are rounded to and compared by whole nanoseconds`() {
    for (attoseconds, json) in [
      (1, "PT0S"), (499_999_999, "PT0S"), (500_000_000, "PT0.000000001S"), (-499_999_999, "PT0S"),
      (-500_000_000, "-PT0.000000001S"), (Int128.max, "PT47261439850130342H8M51.687303715S"),
      (Int128.min, "-PT47261439850130342H8M51.687303715S"),
    ] as [(Int128, String)] {
      #expect(Draft(Duration(attoseconds: attoseconds)).json == "\"\(json)\"")
    }
    #expect(Duration.shape.areSame(.nanoseconds(1), Duration(attoseconds: 1_499_999_999)))
    #expect(!Duration.shape.areSame(.nanoseconds(1), .nanoseconds(2)))
    #expect(!Duration.shape.areSame(.nanoseconds(1), .nanoseconds(-1)))
  }

  @Test func `every whole number of nanoseconds round-trips`() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<5_000 {
      let nanoseconds = Int64(truncatingIfNeeded: random.next()) >> (random.next() % 64)
      let duration = Duration.nanoseconds(nanoseconds)
      #expect(try Draft<Duration>(json: Draft(duration).json).root == duration)
    }
  }

  @Test func `arbitrary text never traps`() {
    var random = SeededGenerator(seed: 7)
    let characters = Array("PTWDHMS-+.0123456789999é")
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in characters.randomElement(using: &random)! }
      guard let draft = try? Draft<Duration>(json: "\"P\(String(text))\"") else { continue }
      #expect((try? Draft<Duration>(json: draft.json).root) == draft.root)
    }
  }

  @Test func `a range of durations is described in the message`() throws {
    let error = #expect(throws: ValidationError.self) { try Draft<Timer>(json: #"{"interval":"PT0.5S"}"#) }
    #expect(error?.detail == #""PT0.5S" is not a duration from PT1S to PT1M"#)
    #expect(throws: Never.self) { try Draft<Timer>(json: #"{"interval":"PT60S"}"#) }
  }
}

private struct Timer: Editable {
  var interval: Duration
  static let shape = EditableShape<Timer>.members(
    Timer.init, StoredMember("interval", \.interval, .within(.seconds(1) ... .seconds(60))))
}
