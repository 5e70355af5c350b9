/// The options and the state of decoding a value from JSON.
@usableFromInline
package struct Decoding {
  /// The treatment of missing and unknown members.
  @usableFromInline
  package enum Strictness {
    /// Requires every stored member, so that a replacement cannot reset a member by omission.
    case complete
    /// Gives missing members their defaults, because a new value is created.
    case creating
    /// Requires every member, computed ones included, for comparisons.
    case exact
    /// Reads the storage format, which another version of the model may have written: unknown members are ignored,
    /// missing members take their defaults, and constraints are not checked.
    case stored
    /// Reads a state file: the storage format, or what a client reads. Hidden members may be missing, computed ones must
    /// have the value that the stored members give, and all errors are collected.
    case imported
  }

  @usableFromInline package var strictness: Strictness
  /// What `imported` finds; nil for anything else.
  @usableFromInline var report: ImportReport?
  /// The id from the address, for the next element that is created.
  @usableFromInline var impliedKey: AnyKey?
  /// The least successful outcome of the setters of computed members so far.
  @usableFromInline var outcome: WriteOutcome = .applied

  /// Creates the state for decoding one value.
  @inlinable
  package init(_ strictness: Strictness) { self.strictness = strictness }

  /// Creates the state for decoding a state file.
  init(importing report: ImportReport) {
    strictness = .imported
    self.report = report
  }

  /// Returns the implied id and clears it, because it is valid for one value only.
  @inlinable
  mutating func takeImpliedKey() -> AnyKey? {
    defer { impliedKey = nil }
    return impliedKey
  }
}

extension Decoding {
  /// Decodes a part of the current value, and prepends its name to the pointer of an error.
  @inlinable
  mutating func part<R>(
    _ name: @autoclosure () -> String, _ body: (inout Decoding) throws(ValidationError) -> R
  ) throws(ValidationError) -> R {
    report?.path.append(name())
    defer { report?.path.removeLast() }
    do throws(ValidationError) { return try body(&self) } catch { throw error.under(name()) }
  }

  /// Decodes one of several parts. If errors are collected, the caller continues with the next part after an error.
  ///
  /// - Parameter failure: set after an error; the caller must throw it after the last part.
  /// - Returns: nil after an error.
  @inlinable
  mutating func part<R>(
    _ name: @autoclosure () -> String, _ failure: inout ValidationError?,
    _ body: (inout Decoding) throws(ValidationError) -> R
  ) throws(ValidationError) -> R? {
    do throws(ValidationError) { return try part(name(), body) } catch {
      failure = try collected(error)
      return nil
    }
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
