import BinderyCore
import BinderyJSON
import BindingLaws
import Testing

struct FloatTests {
  @Test(arguments: [
    ("0.1", "0.1"), ("1.0", "1"), ("-0", "-0"), ("16777217", "16777216"), ("1e10", "10000000000"),
    ("3.4028235e38", "3.4028235e+38"), ("1e-45", "1e-45"), ("1e-50", "0"), ("0.30000000000000004", "0.3"),
  ])
  func `a float is the shortest decimal that reads back`(text: String, canonical: String) throws {
    let draft = try Draft<Float>(json: text)
    #expect(draft.json == canonical)
    #expect(try Draft<Float>(json: canonical).root.bitPattern == draft.root.bitPattern)
  }

  @Test func `numbers out of range and other types are invalid`() {
    for text in ["1e39", "-3.4028236e38", "1e400"] {
      let error = #expect(throws: ValidationError.self) { try Draft<Float>(json: text) }
      #expect(error?.expected == "a number from -3.4028235e+38 to 3.4028235e+38")
    }
    for text in ["null", "\"1\"", "true", "[]"] {
      let error = #expect(throws: ValidationError.self) { try Draft<Float>(json: text) }
      #expect(error?.expected == "a number")
    }
    let error = #expect(throws: ValidationError.self) { try Draft<Double>(json: "1e400") }
    #expect(error?.expected == "a number from -1.7976931348623157e+308 to 1.7976931348623157e+308")
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func `NaN and the infinities are rejected`(value: Float) {
    #expect(throws: ValidationError.self) { try Float.shape.check(value) }
    #expect(throws: ValidationError.self) { try Float??.shape.check(value) }
    #expect(Draft(value).json == "null")
  }

  @Test func `floats are the same if their JSON is`() {
    let values: [Float] = [0, -0.0, 1, 1.0000001, .nan, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
    for a in values {
      for b in values { #expect(Float.shape.areSame(a, b) == (Draft(a).json == Draft(b).json), "\(a) \(b)") }
    }
    for a in values.map(Double.init) {
      for b in values.map(Double.init) {
        #expect(Double.shape.areSame(a, b) == (Draft(a).json == Draft(b).json), "\(a) \(b)")
      }
    }
  }
}

struct RangeConstraintTests {
  /// Returns whether a number satisfies a constraint.
  private func accepts(_ constraint: Constraint<Double>, _ json: String) -> Bool {
    (try? EditableShape<Double>.tested(constraint, json)) != nil
  }

  @Test func `ranges include their bounds unless they are half-open`() {
    #expect(accepts(.within(0...1), "0") && accepts(.within(0...1), "-0") && accepts(.within(0...1), "1"))
    #expect(!accepts(.within(0...1), "1.0000000000000002") && !accepts(.within(0...1), "-5e-324"))
    #expect(accepts(.within(0..<1), "0.9999999999999999") && !accepts(.within(0..<1), "1"))
    #expect(accepts(.within(0.5...), "0.5") && !accepts(.within(0.5...), "0.49"))
    #expect(accepts(.within(...0.5), "0.5") && !accepts(.within(...0.5), "0.51"))
    #expect(accepts(.within(..<0.5), "0.49") && !accepts(.within(..<0.5), "0.5"))
    #expect(accepts(.above(0), "5e-324") && !accepts(.above(0), "0"))
    #expect(accepts(.below(0), "-1") && !accepts(.below(0), "0"))
    #expect(accepts(.atLeast(0), "0") && !accepts(.atLeast(0), "-1"))
    #expect(accepts(.atMost(0), "0") && !accepts(.atMost(0), "1"))
  }

  @Test(arguments: [
    (Constraint<Double>.within(0...1), "2 is not a number from 0 to 1"),
    (.within(0..<1.5), "2 is not a number ≥ 0 and < 1.5"), (.within(...1), "2 is not a number ≤ 1"),
    (.above(2), "2 is not a number > 2"), (.below(2), "2 is not a number < 2"), (.atLeast(3), "2 is not a number ≥ 3"),
    (.within(4 ... .infinity), "2 is not a number from 4 to inf"),
  ])
  func `the message names the range`(constraint: Constraint<Double>, message: String) {
    let error = #expect(throws: ValidationError.self) { try EditableShape<Double>.tested(constraint, "2") }
    #expect(error?.detail == message)
  }

  @Test func `values from Swift code are checked, too`() {
    #expect(throws: ValidationError.self) { try Dial.shape.check(Dial(angle: 360, gain: 1)) }
    #expect(throws: ValidationError.self) { try Dial.shape.check(Dial(angle: 0, gain: 1.5)) }
    #expect(throws: ValidationError.self) { try Dial.shape.check(Dial(angle: .nan, gain: 1)) }
    #expect(throws: Never.self) { try Dial.shape.check(Dial(angle: 359.9, gain: 0.1)) }
  }

  @Test func `the laws hold for numbers in ranges`() {
    var random = SeededGenerator(seed: 1)
    let report = lawReport(of: Dial.self, using: &random)
    #expect(report.violations.isEmpty)
    #expect(report.accepted * 2 > report.generated)
  }
}

private struct Dial: Editable {
  var angle: Double
  var gain: Float
  static let shape = EditableShape<Dial>.members(
    Dial.init, StoredMember("angle", \.angle, .within(0..<360)), StoredMember("gain", \.gain, .above(0), .within(...1)))
}

extension EditableShape<Double> {
  /// Decodes a number with a constraint.
  fileprivate static func tested(_ constraint: Constraint<Double>, _ json: String) throws -> Double {
    let shape = EditableShape.members({ $0 }, StoredMember("number", \Double.self, constraint))
    var decoding = Decoding(.complete)
    return try shape.decode(try JSONDocument(parsing: Array("{\"number\":\(json)}".utf8)).root, &decoding)
  }
}
