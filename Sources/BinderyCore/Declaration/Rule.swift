import BinderyJSON

/// A constraint in the form of the schema.
@usableFromInline
package enum Rule: Sendable, Hashable {
  /// The least allowed number.
  case minimum(Bound)
  /// The greatest allowed number.
  case maximum(Bound)
  /// The least number of characters.
  case minimumLength(Int)
  /// The greatest number of characters.
  case maximumLength(Int)
  /// The least number of Unicode code points.
  case minimumCodePoints(Int)
  /// The greatest number of Unicode code points.
  case maximumCodePoints(Int)
  /// The greatest number of bytes in UTF-8.
  case maximumBytes(Int)
  /// The least number of elements.
  case minimumCount(Int)
  /// The greatest number of elements.
  case maximumCount(Int)
  /// An ECMA-262 regular expression that must match.
  case pattern(String)
  /// A condition in words, which JSON Schema cannot express.
  case described(String)
}

/// A limit of a number.
@usableFromInline
package struct Bound: Sendable, Hashable {
  /// The number in canonical JSON.
  package let text: String
  /// Whether the number itself is not allowed.
  package let isExclusive: Bool

  /// Creates a limit from a number in canonical JSON.
  package init(_ text: String, isExclusive: Bool = false) {
    self.text = text
    self.isExclusive = isExclusive
  }

  /// Creates an inclusive limit of integers.
  package init(_ number: some BinaryInteger) {
    text = String(number)
    isExclusive = false
  }

  /// Creates a limit of floating-point numbers; nil for an infinity, which limits nothing.
  init?(_ number: some BinaryFloatingPoint, isExclusive: Bool = false) {
    guard number.isFinite else { return nil }
    var writer = JSONWriter()
    // As a `Double`, a `Float` would get more digits than it needs to read back.
    if let number = number as? Float { writer.float(number) } else { writer.double(Double(number)) }
    text = String(decoding: writer.bytes, as: UTF8.self)
    self.isExclusive = isExclusive
  }
}

/// The limits of a number that a list of rules contains.
package struct NumberLimits: Sendable {
  package private(set) var minimum: Bound?
  package private(set) var maximum: Bound?

  /// Creates the limits; of several limits on one side, the last one counts.
  package init(_ rules: [Rule]) {
    for rule in rules {
      if case .minimum(let bound) = rule { minimum = bound }
      if case .maximum(let bound) = rule { maximum = bound }
    }
  }

  /// Returns whether a number in JSON is within the limits.
  package func contain(_ text: String) -> Bool {
    guard let number = Double(text) else { return false }
    if let minimum, let least = Double(minimum.text), minimum.isExclusive ? number <= least : number < least {
      return false
    }
    if let maximum, let greatest = Double(maximum.text), maximum.isExclusive ? number >= greatest : number > greatest {
      return false
    }
    return true
  }

  /// Numbers in JSON at the limits and next to them. Not all of them are within the limits.
  package var examples: [String] {
    var texts = [minimum, maximum].compactMap(\.self).map(\.text)
    let numbers = texts.compactMap { Double($0) }
    if let least = numbers.first, let greatest = numbers.last { texts.append("\((least + greatest) / 2)") }
    for number in numbers { texts += ["\(number + 1)", "\(number - 1)"] }
    return texts
  }
}
