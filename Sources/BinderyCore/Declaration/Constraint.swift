public import BinderyJSON

/// What a value must satisfy beyond its type, as a value, so that it reaches both validation and schema.
public struct Constraint<Value>: Sendable {
  @usableFromInline let rules: [Rule]
  @usableFromInline let expected: String
  @usableFromInline let holds: @Sendable (Value) -> Bool

  /// A rule of your own.
  ///
  /// - Parameters:
  ///   - expected: what would fit, in words that complete “… is not”: “an even number”.
  ///   - holds: whether the value does.
  public init(_ expected: String, holds: @escaping @Sendable (Value) -> Bool) {
    self.init(rules: [.described(expected)], expected, holds: holds)
  }

  @usableFromInline
  init(rules: [Rule], _ expected: String, holds: @escaping @Sendable (Value) -> Bool) {
    self.rules = rules
    self.expected = expected
    self.holds = holds
  }
}

extension Constraint where Value: BinaryInteger & Sendable {
  public static func atLeast(_ least: Value) -> Constraint {
    Constraint(rules: [.minimum(Int(clamping: least))], "an integer of at least \(least)") { $0 >= least }
  }

  public static func atMost(_ most: Value) -> Constraint {
    Constraint(rules: [.maximum(Int(clamping: most))], "an integer of at most \(most)") { $0 <= most }
  }

  public static func within(_ range: ClosedRange<Value>) -> Constraint {
    Constraint(
      rules: [.minimum(Int(clamping: range.lowerBound)), .maximum(Int(clamping: range.upperBound))],
      "an integer from \(range.lowerBound) to \(range.upperBound)"
    ) { range.contains($0) }
  }
}

extension Constraint where Value == String {
  /// How many characters, as a person counts them (extended grapheme clusters).
  public static func length(_ range: ClosedRange<Int>) -> Constraint {
    Constraint(
      rules: [.minimumLength(range.lowerBound), .maximumLength(range.upperBound)],
      "a text of \(range.lowerBound) to \(range.upperBound) characters"
    ) { text in
      // Counting characters is slow; where every scalar is ASCII the bytes tell, but for CR LF, which is one.
      if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return range.contains(text.utf8.count) }
      return range.contains(text.count)
    }
  }

  /// How many bytes of UTF-8 at most: a bound on what combining marks can pile up.
  public static func bytes(atMost most: Int) -> Constraint {
    Constraint(rules: [.maximumBytes(most)], "a text of at most \(most) bytes") { $0.utf8.count <= most }
  }

  /// A character that is neither white space nor ignorable, as far as regular expressions without Unicode know them.
  private static var visible: String {
    #"[^\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"#
      + #"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8]"#
  }

  /// Something besides white space.
  public static var notBlank: Constraint {
    Constraint(rules: [.described("not blank"), .pattern(visible)], "a text that is not blank") { text in
      text.unicodeScalars.contains { !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint }
    }
  }

  /// No control characters (Unicode category Cc), line breaks included.
  public static var noControlCharacters: Constraint {
    Constraint(
      rules: [.pattern(#"^[^\u0000-\u001f\u007f-\u009f]*$"#)], "a text without control characters"
    ) { text in
      !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
  }
}

extension Constraint where Value: Collection & SendableMetatype {
  /// How many elements.
  public static func count(_ range: ClosedRange<Int>) -> Constraint {
    Constraint(
      rules: [.minimumCount(range.lowerBound), .maximumCount(range.upperBound)],
      "a collection of \(range.lowerBound) to \(range.upperBound) elements"
    ) { range.contains($0.count) }
  }
}

extension Shape where Value: Sendable {
  /// The shape of a place where the constraints hold, however the value got there.
  @inlinable
  func constrained(by constraints: [Constraint<Value>]) -> Shape {
    guard !constraints.isEmpty else { return self }
    let base = self
    let verify: @Sendable (Value) throws(ValidationError) -> Void = { value throws(ValidationError) in
      // Through a span, which lends a constraint where an array gives a copy.
      let constraints = constraints.span
      for index in constraints.indices where !constraints[index].holds(value) {
        throw base.refusal(of: value, constraints[index].expected)
      }
    }
    var operations = operations
    operations.decode = { node, decoding throws(ValidationError) in
      let value = try base.decode(node, &decoding)
      if decoding.strictness != .stored { try verify(value) }
      return value
    }
    operations.check = { value, old throws(ValidationError) in
      if let old, base.areSame(value, old) { return }
      try base.check(value, since: old)
      try verify(value)
    }
    operations.edit = { value, edit throws(EditError) in
      try base.edit(&value, &edit)
      do throws(ValidationError) { try verify(value) } catch { throw .invalid(error) }
    }
    operations.descend = { value, route, index, edit throws(EditError) in
      try base.operations.descend(&value, route, index, &edit)
      if edit.isRestoring { return }
      do throws(ValidationError) { try verify(value) } catch { throw .invalid(error) }
    }
    operations.construct = { route, index, edit throws(EditError) in
      let value = try base.construct(route, index, &edit)
      if edit.isRestoring { return value }
      do throws(ValidationError) { try verify(value) } catch { throw .invalid(error) }
      return value
    }
    return with(operations, type: type.with(rules: constraints.flatMap(\.rules)))
  }

  /// What is said of a value that breaks a constraint.
  @usableFromInline
  func refusal(of value: Value, _ expected: String) -> ValidationError {
    var writer = JSONWriter()
    encode(value, into: &writer)
    let excerpt = String(decoding: writer.bytes.prefix(60), as: UTF8.self)
    return ValidationError(.value, "\(excerpt) is not \(expected)", expected: expected)
  }
}
