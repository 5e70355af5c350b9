/// The options and the state of decoding a value from JSON.
@usableFromInline
package struct Decoding {
  /// The treatment of missing and unknown members.
  @usableFromInline
  package enum Strictness {
    /// Requires every stored member, so that a replacement cannot reset a member by omission. Outside of arrays, new
    /// values need no read-only members.
    case complete
    /// Gives missing members their defaults, because a new value is created.
    case creating
    /// Requires every member, computed ones included, for comparisons.
    case exact
    /// Reads the storage format, which another version of the model may have written: unknown members are ignored,
    /// missing members take their defaults, and constraints are not checked.
    case stored
  }

  @usableFromInline package var strictness: Strictness
  /// Whether the value is new in a merge patch, which leaves out the entries of dictionaries that are null (RFC 7396
  /// §2).
  @usableFromInline var isMerging = false
  /// Whether the value is in an array. It may stand for an old item, which has no id, so a read-only member that is
  /// left out could be one that is reset.
  @usableFromInline var isInArray = false
  /// Whether the value is moved to a place whose constraints may be others.
  @usableFromInline var isMoved = false
  /// Collects the mistakes of a whole state, whose constraints are checked then; nil to end at the first mistake.
  @usableFromInline var report: ValidationReport?
  /// The id from the address, for the next element that is created.
  @usableFromInline var impliedKey: AnyKey?
  /// The least successful outcome of the setters of computed members so far.
  @usableFromInline var outcome: WriteOutcome = .applied

  /// Creates the state for decoding one value.
  @inlinable
  package init(_ strictness: Strictness) { self.strictness = strictness }

  /// Creates the state for decoding a whole state and checking it.
  init(reporting report: ValidationReport) {
    strictness = .stored
    self.report = report
  }

  /// Whether constraints are checked.
  @inlinable var checksConstraints: Bool { strictness != .stored || isMoved || report != nil }

  /// Whether the value is in a store, as opposed to a request or a state file.
  var readsStore: Bool { strictness == .stored && report?.source != .file }

  /// Returns the implied id and clears it, because it is valid for one value only.
  @inlinable
  mutating func takeImpliedKey() -> AnyKey? {
    defer { impliedKey = nil }
    return impliedKey
  }

  /// Decodes a part of the current value, and prepends its name to the pointer of an error.
  @inlinable
  mutating func part<R>(
    _ name: @autoclosure () -> String, isElement: Bool = false, _ body: (inout Decoding) throws(ValidationError) -> R
  ) throws(ValidationError) -> R {
    report?.enter(name(), isElement: isElement)
    defer { report?.leave() }
    do throws(ValidationError) { return try body(&self) } catch { throw error.under(name()) }
  }

  /// Decodes an element or an entry. If errors are collected, the caller continues with the next one after an error.
  ///
  /// - Parameters:
  ///   - isEntry: false for an element of an array, which a merge patch replaces as a whole.
  ///   - failure: set after an error; the caller must throw it after the last part.
  /// - Returns: nil after an error.
  @inlinable
  mutating func element<R>(
    _ name: @autoclosure () -> String, isEntry: Bool = false, _ failure: inout ValidationError?,
    _ body: (inout Decoding) throws(ValidationError) -> R
  ) throws(ValidationError) -> R? {
    let wasMerging = isMerging
    if !isEntry { isMerging = false }
    defer { isMerging = wasMerging }
    do throws(ValidationError) { return try part(name(), isElement: true, body) } catch {
      failure = try collected(error)
      return nil
    }
  }

  /// Returns the error for a required member that is missing.
  @usableFromInline
  func missingError(of member: MemberInfo) -> ValidationError {
    report?.source == .store ? member.newMemberError : member.missingError
  }

  /// Collects an error.
  ///
  /// - Returns: the error to throw after the last part.
  /// - Throws: the error itself if errors are not collected.
  @usableFromInline
  func collected(_ error: ValidationError) throws(ValidationError) -> ValidationError {
    guard let report else { throw error }
    report.record(error)
    return .recorded
  }
}
