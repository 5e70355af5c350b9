public import BinderyJSON

/// A condition on a value beyond its type.
///
/// A constraint is checked on every write, from JSON and from Swift, and appears in the schema.
public struct Constraint<Value>: Sendable {
  /// The constraint in the schema.
  @usableFromInline let rules: [Rule]
  /// The valid values, as a noun phrase for error messages.
  @usableFromInline let expected: String
  /// Returns whether a value satisfies the constraint.
  @usableFromInline let holds: @Sendable (Value) -> Bool

  /// Creates a custom constraint.
  ///
  /// - Parameters:
  ///   - expected: The valid values, as a noun phrase that completes “… is not”: “an even number”.
  ///   - holds: Returns whether a value satisfies the constraint.
  public init(_ expected: String, holds: @escaping @Sendable (Value) -> Bool) {
    self.init(rules: [.described(expected)], expected, holds: holds)
  }

  /// Whether the constraint limits the bytes of a string.
  @usableFromInline var isByteLimit: Bool { rules.contains { if case .maximumBytes = $0 { true } else { false } } }

  /// Returns constraints in the order in which they are checked: bytes are counted at once, and characters of a string
  /// of any length only after that.
  @usableFromInline
  static func ordered(_ constraints: [Constraint]) -> [Constraint] {
    constraints.filter(\.isByteLimit) + constraints.filter { !$0.isByteLimit }
  }

  /// Returns the rules of several constraints in the schema.
  @usableFromInline
  static func rules(of constraints: [Constraint]) -> [Rule] { constraints.flatMap(\.rules) }

  @usableFromInline
  init(rules: [Rule], _ expected: String, holds: @escaping @Sendable (Value) -> Bool) {
    self.rules = rules
    self.expected = expected
    self.holds = holds
  }
}

extension Constraint {
  /// Applies a constraint to the value of an optional unless it is nil: `.unlessNil(.length(1...9))`.
  public static func unlessNil<Wrapped>(_ constraint: Constraint<Wrapped>) -> Constraint where Value == Wrapped? {
    Constraint(rules: constraint.rules, constraint.expected) { $0.map(constraint.holds) ?? true }
  }
}

extension Constraint where Value: BinaryInteger & Sendable {
  /// Requires an integer ≥ `minimum`.
  public static func atLeast(_ minimum: Value) -> Constraint {
    Constraint(rules: [.minimum(Bound(minimum))], "an integer ≥ \(minimum)") { $0 >= minimum }
  }

  /// Requires an integer ≤ `maximum`.
  public static func atMost(_ maximum: Value) -> Constraint {
    Constraint(rules: [.maximum(Bound(maximum))], "an integer ≤ \(maximum)") { $0 <= maximum }
  }

  /// Requires an integer in a range.
  public static func within(_ range: ClosedRange<Value>) -> Constraint {
    Constraint(
      rules: [.minimum(Bound(range.lowerBound)), .maximum(Bound(range.upperBound))],
      "an integer from \(range.lowerBound) to \(range.upperBound)"
    ) { range.contains($0) }
  }

  /// Requires an integer in a range without its upper bound, such as `0..<360`. The range must not be empty.
  public static func within(_ range: Range<Value>) -> Constraint {
    precondition(!range.isEmpty, "no integer is in the range \(range)")
    return within(range.lowerBound...(range.upperBound - 1))
  }
}

extension Constraint where Value == String {
  /// Limits the number of characters, counted as extended grapheme clusters.
  public static func length(_ range: ClosedRange<Int>) -> Constraint {
    Constraint(
      rules: [.minimumLength(range.lowerBound), .maximumLength(range.upperBound)],
      "a string of \(range.lowerBound) to \(range.upperBound) characters"
    ) { text in
      // Counting characters is slow, and a character has at least one byte.
      let bytes = text.utf8.count
      guard bytes >= range.lowerBound else { return false }
      if range.lowerBound <= 1, bytes <= range.upperBound { return true }
      // In printable ASCII each byte is one character. CR LF, which is a single character, is not printable.
      if text.isPrintableASCII { return range.contains(bytes) }
      return range.contains(text.count)
    }
  }

  /// Limits the number of bytes in UTF-8. Unlike ``length(_:)``, this also bounds combining marks.
  public static func bytes(atMost maximum: Int) -> Constraint {
    Constraint(rules: [.maximumBytes(maximum)], "a string of at most \(maximum) bytes of UTF-8") {
      $0.utf8.count <= maximum
    }
  }

  /// A regular expression for a character that is neither white space nor ignorable.
  ///
  /// JSON Schema patterns cannot rely on Unicode properties, so it lists the code points.
  private static var visible: String {
    #"[^\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"#
      + #"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8]"#
  }

  /// Requires at least one character that is neither white space nor ignorable.
  public static var notBlank: Constraint {
    Constraint(
      rules: [.described("not blank"), .pattern(visible)], "a string with at least one visible character"
    ) { text in
      // The properties of a Unicode scalar are slow to find; most texts have a visible ASCII character.
      text.utf8.contains { $0 > 0x20 && $0 < 0x7F }
        || text.unicodeScalars.contains { !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint }
    }
  }

  /// Forbids control characters (Unicode category Cc), including line breaks.
  public static var noControlCharacters: Constraint {
    Constraint(
      rules: [.described("without control characters"), .pattern(#"^[^\u0000-\u001f\u007f-\u009f]*$"#)],
      "a string without control characters"
    ) { text in
      if text.isPrintableASCII { return true }
      // U+0080 to U+009F are the byte C2 and a second one up to 9F.
      var previous: UInt8 = 0
      return !text.utf8.contains { byte in
        defer { previous = byte }
        return byte < 0x20 || byte == 0x7F || previous == 0xC2 && byte <= 0x9F
      }
    }
  }
}

extension String {
  /// Whether all bytes are printable characters of ASCII.
  fileprivate var isPrintableASCII: Bool {
    let bytes = utf8.span
    // No early exit, so that the compiler can vectorize the loop.
    var isPrintable = true
    for index in bytes.indices where bytes[index] &- 0x20 >= 0x5F { isPrintable = false }
    return isPrintable
  }
}

extension Constraint where Value: Collection & SendableMetatype {
  /// Limits the number of elements.
  public static func count(_ range: ClosedRange<Int>) -> Constraint {
    Constraint(
      rules: [.minimumCount(range.lowerBound), .maximumCount(range.upperBound)],
      "a collection of \(range.lowerBound) to \(range.upperBound) elements"
    ) { range.contains($0.count) }
  }
}

extension EditableShape where Value: Sendable {
  /// Returns this shape with constraints that hold after every write, from JSON and from Swift.
  ///
  /// Inlined, so that the compiler drops the operations of the members without constraints, which are most.
  @inlinable @inline(__always)
  func constrained(by constraints: [Constraint<Value>]) -> EditableShape {
    constraints.isEmpty ? self : checking(Constraint.ordered(constraints), Constraint.rules(of: constraints))
  }

  /// Returns this shape with constraints in the order in which they are checked, and their rules in the schema.
  @inlinable
  func checking(_ constraints: [Constraint<Value>], _ rules: [Rule]) -> EditableShape {
    let base = self
    // A chain of closures, because a loop over an array would retain each constraint.
    var chain: @Sendable (Value) throws(ValidationError) -> Void = { _ throws(ValidationError) in }
    for constraint in constraints.reversed() {
      chain = { [rest = chain] value throws(ValidationError) in
        guard constraint.holds(value) else { throw base.violation(of: value, constraint.expected) }
        try rest(value)
      }
    }
    let verify = chain
    var operations = operations
    operations.decode = { node, decoding throws(ValidationError) in
      let value = try base.decode(node, &decoding)
      if decoding.checksConstraints { try verify(value) }
      return value
    }
    operations.hasConstraints = true
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
      if edit.isRestoring || edit.defersConstraints { return }
      do throws(ValidationError) { try verify(value) } catch { throw .invalid(error) }
    }
    operations.construct = { route, index, edit throws(EditError) in
      let value = try base.construct(route, index, &edit)
      if edit.isRestoring { return value }
      do throws(ValidationError) { try verify(value) } catch { throw .invalid(error) }
      return value
    }
    return with(operations, type: type.with(rules: rules))
  }

  /// Returns the error for a value that breaks a constraint, with up to 60 bytes of the value.
  @usableFromInline
  func violation(of value: Value, _ expected: String) -> ValidationError {
    let maximum = 60
    var writer = JSONWriter(stoppingAt: maximum + 1)
    if let text = value as? String {
      // A string is written as a whole, so only its beginning is passed on. No excerpt shows a character that is cut.
      writer.string(String(decoding: text.utf8.prefix(maximum + 4), as: UTF8.self))
    } else {
      encode(value, into: &writer)
    }
    let excerpt = writer.bytes[...].excerpt(maximum: maximum)
    return ValidationError(.value, "\(excerpt) is not \(expected)", expected: expected)
  }
}
