/// Validation errors of a member.
///
/// They are not inlinable, so that the code that builds the messages is not copied into the modules of models.
extension MemberInfo {
  /// The error for a required member that is missing.
  @usableFromInline var missingError: ValidationError { ValidationError(.missingMember, "“\(name)” is missing") }

  /// The error for a member that a stored state lacks, because it is older than the member.
  var newMemberError: ValidationError {
    ValidationError(.missingMember, "the member is new and has no default; declare one in the model")
  }

  /// The error for an object that has the member twice.
  var duplicateError: ValidationError { ValidationError(.duplicateMember, "duplicate member “\(name)”", at: name) }

  /// The error for a stored member that the setter of a computed member in the same request changes.
  @usableFromInline var conflictError: ValidationError {
    ValidationError(
      .conflictingMembers,
      "a computed member in the same request changes “\(name)” to another value; send only one of them", at: name)
  }

  /// The error for a computed member of a new value that differs from the value that the stored members give.
  @usableFromInline var derivedError: ValidationError {
    ValidationError(.readOnlyMember, "“\(name)” is computed from the other members; leave it out")
  }

  /// The error for a computed member that cannot be set to the value in the request.
  @usableFromInline var rejectedError: ValidationError {
    ValidationError(.value, "“\(name)” cannot be set to this value")
  }

  /// The error for a change of a member that is read-only after creation.
  @usableFromInline var immutableError: ValidationError {
    ValidationError(.readOnlyMember, "“\(name)” cannot be changed", at: name)
  }

  /// The error for a new element whose id differs from the id in its address.
  @usableFromInline
  func idMismatchError(_ key: AnyKey?) -> ValidationError {
    ValidationError(
      .readOnlyMember,
      "“\(name)” differs from the id in the path, “\(key?.text ?? "")”; make them equal or leave it out", at: name)
  }
}
