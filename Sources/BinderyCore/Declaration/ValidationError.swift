public import BinderyJSON

/// An error for a value that does not fit its type or constraints; over HTTP, a response with status 422.
public struct ValidationError: Error, Hashable, Sendable {
  /// The kind of error; the raw value is the last part of the problem type (RFC 9457).
  public enum Code: String, Sendable, CaseIterable {
    /// The value has the wrong type, is out of range or malformed.
    case value = "invalid-value"
    /// The type has no member with this name.
    case unknownMember = "unknown-member"
    /// An object has the same member more than once.
    case duplicateMember = "duplicate-member"
    /// A required member is missing.
    case missingMember = "missing-member"
    /// A read-only member would change.
    case readOnlyMember = "read-only-member"
    /// Two elements of a sequence have the same id.
    case duplicateID = "duplicate-id"
    /// Two members of one request contradict each other.
    case conflictingMembers = "conflicting-members"
    /// The value is required and cannot be removed.
    case notRemovable = "not-removable"
  }

  /// The kind of error.
  public let code: Code
  /// The human-readable description of the error.
  public let detail: String
  /// The valid values, as a noun phrase; nil if there is nothing to add to `detail`.
  public let expected: String?
  /// The segments of the pointer, innermost first: each level appends its own segment while the error propagates.
  private var reversedPointer: [String]

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of error.
  ///   - detail: The human-readable description of the error.
  ///   - expected: The valid values, as a noun phrase.
  ///   - segments: The unescaped path from the current value to the invalid part.
  @usableFromInline
  package init(_ code: Code, _ detail: String, expected: String? = nil, at segments: String...) {
    self.code = code
    self.detail = detail
    self.expected = expected
    self.reversedPointer = segments.reversed()
  }

  /// Returns this error with a segment added before its pointer.
  @usableFromInline
  package func under(_ segment: String) -> ValidationError {
    var outer = self
    outer.reversedPointer.append(segment)
    return outer
  }

  /// Returns this error with segments added before its pointer.
  @usableFromInline
  package func under(_ segments: [String]) -> ValidationError {
    var outer = self
    outer.reversedPointer.append(contentsOf: segments.reversed())
    return outer
  }

  /// The offending part, as a JSON Pointer (RFC 6901) into the request body.
  public var pointer: String { Pointer.text(reversedPointer.reversed()) }

  /// The error for removing a required value.
  @usableFromInline static var notRemovable: ValidationError {
    ValidationError(.notRemovable, "this value is required and cannot be removed")
  }

  /// The error for an enum value whose case the shape does not list.
  @usableFromInline
  static func unlistedCase<Value>(_ value: Value) -> ValidationError {
    ValidationError(
      .value, "the shape of \(Value.self) does not list the case “\(caseName(of: value))”; add it to the shape")
  }

  /// The error for a case that JSON names without its payload.
  @usableFromInline
  static func missingPayload(_ name: String) -> ValidationError {
    ValidationError(.value, "the case “\(name)” needs a payload", expected: "an object")
  }

  /// The error for a change of an element's id.
  @usableFromInline static var fixedID: ValidationError {
    ValidationError(.readOnlyMember, "the id of an element cannot be changed; remove the element and add another")
  }

  /// The error for an id of an element that no URL can name.
  @usableFromInline
  static func unusableID(_ text: String, at name: String) -> ValidationError {
    let expected =
      "an id of 1 to \(Pointer.maximumSegmentBytes) bytes when percent-encoded, without NUL and without more than 30 "
      + "combining marks in a row, other than “.” and “..”"
    let excerpt = text.utf8.count > 40 ? "an id of \(text.utf8.count) bytes" : "“\(text)”"
    return ValidationError(.value, "\(excerpt) cannot be part of a URL", expected: expected, at: name)
  }

  /// The error for a write to a read-only member from Swift code.
  @usableFromInline
  static func readOnly(_ name: String) -> ValidationError {
    ValidationError(.readOnlyMember, "“\(name)” is read-only", at: name)
  }

  /// The error for appending to a value that is not a collection.
  @usableFromInline static var noCollection: ValidationError {
    ValidationError(.value, "only collections accept new elements; this value is not a collection")
  }

  /// The error for JSON of the wrong type, with up to 40 bytes of the JSON.
  @usableFromInline
  static func wrongType(_ node: JSONNode, expected: String) -> ValidationError {
    ValidationError(.value, "\(node.excerpt(maximum: 40)) is not \(expected)", expected: expected)
  }
}

extension ValidationError: CustomStringConvertible {
  /// The detail, the valid values and the pointer.
  public var description: String { sentence + (pointer.isEmpty ? "" : " (at \(pointer))") }

  /// The detail, and the valid values unless the detail ends with them.
  var sentence: String {
    guard let expected, !detail.hasSuffix(expected) else { return detail }
    return "\(detail), expected \(expected)"
  }
}

/// Returns the name in Swift of the active case of an enum.
func caseName(of value: Any) -> String { Mirror(reflecting: value).children.first?.label ?? "\(value)" }
