/// A comparison of a value with JSON, part by part and without encoding the value.
///
/// The canonical encodings decide: other spellings of the same value are equal, and hidden members are not compared.
@usableFromInline
package struct Comparison {
  /// The members that the JSON may omit.
  @usableFromInline
  package enum Omission: Sendable {
    /// No member, as for the `test` of JSON Patch.
    case none
    /// Computed members, as for a value that is sent back.
    case computed
    /// Every member: only the members that were sent are compared.
    case any
    /// Every member and every entry of a dictionary, as for a value that was merged; `null` stands for a missing entry.
    case merged
    /// Every member and every entry of a dictionary. Of those that were sent, only stored, writable members are
    /// compared.
    case writable
  }

  @usableFromInline let omission: Omission
  /// The values of getters that were evaluated before; nil to evaluate each getter again.
  @usableFromInline let getters: GetterCache?
  /// The steps from the root to the current value.
  @usableFromInline var trail: [Step]

  @usableFromInline
  init(omitting omission: Omission, getters: GetterCache? = nil, trail: [Step] = []) {
    self.omission = omission
    self.getters = getters
    self.trail = trail
  }

  /// Returns whether the JSON may omit a member.
  @inlinable
  func mayOmit(_ member: MemberInfo) -> Bool { mayOmitAll || (omission == .computed && member.isComputed) }

  /// Returns whether a member that the JSON has is not compared.
  @inlinable
  func ignores(_ member: MemberInfo) -> Bool { omission == .writable && member.role != .stored }

  /// Whether only the members that were sent are compared.
  @inlinable var mayOmitAll: Bool { omission == .any || omission == .merged || omission == .writable }

  /// Whether only the entries of a dictionary, or the free members, that were sent are compared; `null` stands for a
  /// missing one.
  var mayOmitEntries: Bool { omission == .merged || omission == .writable }

  /// Compares a part of the current value.
  @inlinable
  mutating func part(_ step: @autoclosure () -> Step, _ isSame: (inout Comparison) -> Bool) -> Bool {
    // Only the cache needs to know the place.
    guard getters != nil else { return isSame(&self) }
    trail.append(step())
    defer { trail.removeLast() }
    return isSame(&self)
  }
}
