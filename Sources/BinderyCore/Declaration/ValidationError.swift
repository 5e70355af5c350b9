public import BinderyJSON

/// Why a JSON value does not fit a type: what a 422 is made of.
public struct ValidationError: Error, Hashable, Sendable {
  /// The kind of misfit, by the name of its problem type.
  public enum Code: String, Sendable, CaseIterable {
    /// Wrong type, outside its range, ill-formed.
    case value = "invalid-value"
    case unknownMember = "unknown-member"
    case duplicateMember = "duplicate-member"
    case missingMember = "missing-member"
    case readOnlyMember = "read-only-member"
    case duplicateID = "duplicate-id"
    case conflictingMembers = "conflicting-members"
    /// Something that the type needs would be taken away.
    case notRemovable = "not-removable"
  }

  public let code: Code
  public let detail: String
  /// What would fit, in words.
  public let expected: String?
  /// The way to the offending part from inside out: each level adds its own segment while the error passes.
  private var reversedPointer: [String]

  public init(_ code: Code, _ detail: String, expected: String? = nil, at segments: String...) {
    self.code = code
    self.detail = detail
    self.expected = expected
    self.reversedPointer = segments.reversed()
  }

  /// The same, one level further out.
  @usableFromInline
  package func under(_ segment: String) -> ValidationError {
    var outer = self
    outer.reversedPointer.append(segment)
    return outer
  }

  @usableFromInline
  package func under(_ segments: [String]) -> ValidationError {
    var outer = self
    outer.reversedPointer.append(contentsOf: segments.reversed())
    return outer
  }

  /// Where, as a JSON Pointer (RFC 6901) into what was sent.
  public var pointer: String { Pointer.text(reversedPointer.reversed()) }

  @usableFromInline static var notRemovable: ValidationError {
    ValidationError(.notRemovable, "this place cannot be empty")
  }

  @usableFromInline static var unlistedCase: ValidationError {
    ValidationError(.value, "the shape does not list this case")
  }

  @usableFromInline
  static func missingPayload(_ name: String) -> ValidationError {
    ValidationError(.value, "the case “\(name)” needs its payload", expected: "an object")
  }

  @usableFromInline static var fixedID: ValidationError {
    ValidationError(.readOnlyMember, "the id of an element cannot be changed")
  }

  @usableFromInline
  static func readOnly(_ name: String) -> ValidationError {
    ValidationError(.readOnlyMember, "“\(name)” is read-only", at: name)
  }

  @usableFromInline static var noCollection: ValidationError { ValidationError(.value, "this place is no collection") }

  @usableFromInline
  static func wrongType(_ node: JSONNode, expected: String) -> ValidationError {
    ValidationError(.value, "\(node.excerpt(maximum: 40)) is not \(expected)", expected: expected)
  }
}
