import BinderyAPI
import BinderyCore

/// What a value of a type is for: it decides which members it needs.
enum OpenAPIUse: Sendable, CaseIterable {
  /// What `GET` gives.
  case read
  /// What `PUT` takes.
  case put
  /// What takes the place of something that is there.
  case replacement
  /// What `PATCH` takes.
  case merge
  /// What something new is made of.
  case new
  /// A part of something that is replaced as a whole.
  case whole

  /// What the value of a member is for; nil for a member that the value does not have.
  func ofMember(_ role: MemberInfo.Role) -> OpenAPIUse? {
    switch (self, role) {
    case (_, .hidden): nil
    case (.read, _): .read
    case (_, .computedReadOnly): .whole
    case (.merge, .stored), (.merge, .computed): .merge
    case (.merge, _): .new
    case (.replacement, .stored), (.replacement, .computed): .replacement
    case (.replacement, _): .whole
    case (.put, _), (.new, .computed), (.whole, .computed): .put
    case (.new, _): .new
    case (.whole, _): .whole
    }
  }

  /// What the elements of a sequence are for: a sequence is replaced as a whole.
  var ofElement: OpenAPIUse {
    switch self {
    case .read: .read
    case .new: .new
    case .put, .replacement, .merge, .whole: .whole
    }
  }

  /// What the values of a dictionary are for, which merges.
  var ofEntry: OpenAPIUse { self == .merge ? .merge : ofElement }

  func needs(_ member: MemberInfo) -> Bool {
    switch (self, member.role) {
    case (.read, _): true
    case (.merge, _), (.put, _): false
    case (.replacement, let role): role == .stored
    case (.new, _): !member.isComputed && !member.hasDefault
    case (.whole, _): !member.isComputed
    }
  }

  /// Whether a member can only say what is there already.
  func isReadOnly(_ member: MemberInfo) -> Bool {
    switch self {
    case .new, .whole: member.role == .computedReadOnly
    case .read, .put, .replacement, .merge: !member.isWritable
    }
  }

  /// The name of the variant of a type's schema.
  func name(of type: String) -> String {
    switch self {
    case .read: type
    case .put: type + "Put"
    case .replacement: type + "Replacement"
    case .merge: type + "Patch"
    case .new: "New" + type
    case .whole: "Whole" + type
    }
  }

  func description(of type: String) -> String? {
    switch self {
    case .read: nil
    case .put: "What `PUT` takes where a `\(type)` stands."
    case .replacement:
      """
      What replaces a `\(type)` that is there: it needs every stored member that can be written. \
      Any other may be sent along with the value that it has.
      """
    case .merge: "A change to a `\(type)` (RFC 7396): what is left out stays as it is."
    case .new: "What a new `\(type)` is made of: a member with a default may be left out."
    case .whole: "A `\(type)` as a part of something that is replaced as a whole."
    }
  }
}
