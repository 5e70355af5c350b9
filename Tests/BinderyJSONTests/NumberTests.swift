import BinderyJSON
import BindingLaws
import Testing

@Suite struct NumberTests {
  typealias IntegerResult = JSONNode.IntegerResult

  @Test(arguments: [
    ("0", IntegerResult.value(0)), ("-0", .value(0)), ("0.0", .value(0)), ("0e999999999999999999999", .value(0)),
    ("7", .value(7)),
    ("1.0", .value(1)), ("1e2", .value(100)), ("1E+2", .value(100)), ("120e-1", .value(12)), ("-1.50e1", .value(-15)),
    ("0.001e3", .value(1)), ("10.20e1", .value(102)), ("100e-2", .value(1)),
    ("9007199254740993", .value(9_007_199_254_740_993)),
    ("999999999999999999", .value(999_999_999_999_999_999)),
    ("1000000000000000000", .value(1_000_000_000_000_000_000)),
    ("-999999999999999999", .value(-999_999_999_999_999_999)),
    ("9223372036854775807", .value(.max)), ("-9223372036854775808", .value(.min)),
    ("9223372036854775807.000", .value(.max)), ("922337203685477580700e-2", .value(.max)),
    ("9223372036854775808", .outOfRange), ("-9223372036854775809", .outOfRange),
    ("1e18", .value(1_000_000_000_000_000_000)),
    ("1e19", .outOfRange), ("18446744073709551616", .outOfRange), ("99999999999999999999", .outOfRange),
    ("1e400", .outOfRange), ("-1e99999999999999999999999", .outOfRange), ("1e-400", .fractional),
    ("1e-99999999999999999999999", .fractional), ("0.5", .fractional), ("-1.00000000000000000000000001", .fractional),
    ("99999999999999999999.5", .fractional), ("123e-1", .fractional), ("1e9223372036854775807", .outOfRange),
    ("1e-9223372036854775808", .fractional), ("9.999999999999999999e18", .outOfRange), ("0.1e1", .value(1)),
  ])
  func `an integer is read exactly`(text: String, expected: IntegerResult) throws {
    #expect(try parsed(text).integer() == expected)
  }

  @Test func `a million digits are read in linear time`() throws {
    let zeros = String(repeating: "0", count: 1_000_000)
    let nines = String(repeating: "9", count: 1_000_000)
    #expect(try parsed("1\(zeros)").integer() == .outOfRange)
    #expect(try parsed("1\(zeros)e-1000000").integer() == .value(1))
    #expect(try parsed("1.\(zeros)").integer() == .value(1))
    #expect(try parsed("0.\(zeros)1e1000001").integer() == .value(1))
    #expect(try parsed("1.\(zeros)1").integer() == .fractional)
    #expect(try parsed(nines).integer() == .outOfRange)
    #expect(try parsed("1e\(nines)").integer() == .outOfRange)
    #expect(try parsed("1e-\(nines)").double == 0)
    #expect(try parsed("1\(zeros)e-1000000").double == 1)
    #expect(try parsed("0.\(nines)").double == 1)
    #expect(try parsed(nines).double == nil)
    #expect(try parsed("\(nines)e-1000000").double == 1)
  }

  @Test(arguments: [
    ("0", 0), ("1", 1), ("-1.5", -1.5), ("0.1", 0.1), ("3.14159", 3.14159), ("1e22", 1e22), ("1e23", 1e23),
    ("123456789e-5", 1234.56789),
    ("9007199254740993", 9_007_199_254_740_992), ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
    ("5e-324", Double.leastNonzeroMagnitude), ("2.4703282292062327e-324", 0),
    ("2.4703282292062328e-324", Double.leastNonzeroMagnitude),
    ("2.2250738585072011e-308", Double.leastNormalMagnitude.nextDown), ("1e-400", 0), ("-1e-99999999999999999999", 0),
    ("179769313486231580793728971405301e276", Double.greatestFiniteMagnitude),
    // Exactly halfway between 1 and the next double, and just above.
    ("1.00000000000000011102230246251565404236316680908203125", 1),
    ("1.00000000000000011102230246251565404236316680908203126", 1.0000000000000002),
  ])
  func `a double is rounded correctly`(text: String, expected: Double) throws {
    #expect(try parsed(text).double == expected)
  }

  @Test func `a nonzero digit after thousands of zeros breaks a tie`() throws {
    let half = "1.00000000000000011102230246251565404236316680908203125"
    let zeros = String(repeating: "0", count: 5_000)
    #expect(try parsed(half + zeros).double == 1)
    #expect(try parsed(half + zeros + "1").double == 1.0000000000000002)
  }

  @Test func `a number that rounds to infinity has no double`() throws {
    for text in ["1e309", "-1e400", "1.7976931348623159e308", "1e99999999999999999999"] {
      #expect(try parsed(text).double == nil, "\(text)")
    }
  }

  @Test func `minus zero keeps its sign`() throws {
    for text in ["-0", "-0.0", "-0e5", "-1e-400"] {
      #expect(try parsed(text).double?.sign == .minus, "\(text)")
    }
  }

  @Test(arguments: [
    (0.0, "0"), (-0.0, "-0"), (1.0, "1"), (-1.0, "-1"), (0.1, "0.1"), (1.5, "1.5"), (123.456, "123.456"),
    (100.0, "100"),
    (1e15, "1000000000000000"), (1e20, "100000000000000000000"), (1e21, "1e+21"), (1.5e21, "1.5e+21"),
    (123456789012345680000.0, "123456789012345680000"),
    (1e-6, "0.000001"), (1.5e-6, "0.0000015"), (1e-7, "1e-7"), (1.25e-7, "1.25e-7"),
    (Double.leastNonzeroMagnitude, "5e-324"),
    (0.00001, "0.00001"),
    (Double.greatestFiniteMagnitude, "1.7976931348623157e+308"), (9_007_199_254_740_992, "9007199254740992"),
    (9_007_199_254_740_994, "9007199254740994"), (0.30000000000000004, "0.30000000000000004"), (1e300, "1e+300"),
    (18_014_398_509_481_984, "18014398509481984"), (-12.5e-10, "-1.25e-9"), (4.35, "4.35"), (2.5e-5, "0.000025"),
  ])
  func `a double is written as ECMAScript writes it`(value: Double, expected: String) {
    #expect(written { $0.double(value) } == expected)
  }

  @Test func `every double round-trips`() throws {
    var random = SeededGenerator(seed: 1)
    for round in 0..<20_000 {
      let bits = random.next()
      let value = round % 2 == 0 ? Double(bitPattern: bits) : Double(Int64(bitPattern: bits) >> (bits % 64)) / 1_000
      guard value.isFinite else { continue }
      let text = written { $0.double(value) }
      #expect(try parsed(text).double?.bitPattern == value.bitPattern, "\(value) as \(text)")
      #expect(Double(text)?.bitPattern == value.bitPattern, "\(value) as \(text)")
    }
  }

  @Test func `numbers round like in the standard library`() throws {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<20_000 {
      let digits = random.next() >> (random.next() % 64)
      let text = "\(digits % 1_000).\(digits)e\(Int(random.next() % 700) - 350)"
      let expected = try #require(Double(text))
      #expect(try parsed(text).double == (expected.isFinite ? expected : nil), "\(text)")
    }
  }

  @Test func `every integer round-trips`() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<5_000 {
      let bits = random.next()
      let value = Int64(bitPattern: bits) >> (bits % 64)
      #expect(written { $0.integer(value) } == "\(value)")
      #expect(try parsed("\(value)").integer() == .value(value))
    }
    #expect(written { $0.integer(.min) } == "-9223372036854775808")
  }

  @Test(
    arguments: [
      ("0.1", 0.1), ("16777217", 16_777_216), ("16777219", 16_777_220), ("3.4028235e38", .greatestFiniteMagnitude),
      ("1e-45", .leastNonzeroMagnitude), ("7e-46", 0), ("8e-46", .leastNonzeroMagnitude), ("-1e-400", 0), ("1e39", nil),
      ("3.4028235677973367e38", nil), ("12345678e-3", 12345.678), ("1e10", 1e10), ("1e11", 1e11),
      // Just above the middle of 1 and the next float. As a double it would be exactly in the middle, and then 1.
      ("1.00000005960464477539062500001", 1.0000001), ("1.000000059604644775390625", 1),
    ] as [(String, Float?)])
  func `a float is rounded only once`(text: String, expected: Float?) throws {
    #expect(try parsed(text).float == expected)
  }

  @Test(
    arguments: [
      (0, "0"), (-0.0, "-0"), (0.1, "0.1"), (16_777_216, "16777216"), (123_456_792, "123456790"), (1e10, "10000000000"),
      (.greatestFiniteMagnitude, "3.4028235e+38"), (.leastNonzeroMagnitude, "1e-45"), (1e21, "1e+21"), (1e-7, "1e-7"),
    ] as [(Float, String)])
  func `a float is written as the shortest decimal`(value: Float, expected: String) {
    #expect(written { $0.float(value) } == expected)
  }

  @Test func `every float round-trips`() throws {
    var random = SeededGenerator(seed: 4)
    for round in 0..<20_000 {
      let bits = UInt32(truncatingIfNeeded: random.next())
      let value = round % 2 == 0 ? Float(bitPattern: bits) : Float(Int32(bitPattern: bits) >> (bits % 32)) / 1_000
      guard value.isFinite else { continue }
      let text = written { $0.float(value) }
      #expect(try parsed(text).float?.bitPattern == value.bitPattern, "\(value) as \(text)")
      #expect(Float(text)?.bitPattern == value.bitPattern, "\(value) as \(text)")
    }
  }

  @Test func `writing a non-finite number traps`() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.double(.infinity)
    }
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.double(.nan)
    }
  }
}
