import BinderyAPI
import BinderyCore

/// The purpose of a value in a request or response. It decides which members a schema contains and requires.
enum OpenAPISchemaVariant: Sendable, CaseIterable {
  /// A value returned by `GET`.
  case read
  /// A value sent with `PUT`, which replaces an existing value or creates a missing one.
  case put
  /// A value that replaces an existing one.
  case replacement
  /// A merge patch sent with `PATCH` (RFC 7396).
  case merge
  /// A new value.
  case new
  /// A part of a value that can only be replaced completely, such as an element of an array.
  case whole

  /// Returns the variant for the value of a member, or nil if the schema does not contain the member.
  func memberVariant(_ role: MemberInfo.Role) -> OpenAPISchemaVariant? {
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

  /// The variant for the elements of a sequence. A sequence can only be replaced completely.
  var elementVariant: OpenAPISchemaVariant {
    switch self {
    case .read: .read
    case .new: .new
    case .put, .replacement, .merge, .whole: .whole
    }
  }

  /// The variant for the values of a dictionary. Unlike a sequence, a dictionary is merged entry by entry.
  var entryVariant: OpenAPISchemaVariant { self == .merge ? .merge : elementVariant }

  /// Indicates whether the schema requires a member.
  func requires(_ member: MemberInfo) -> Bool {
    switch (self, member.role) {
    case (.read, _): true
    case (.merge, _), (.put, _): false
    case (.replacement, let role): role == .stored
    case (.new, _): !member.isComputed && !member.hasDefault
    case (.whole, _): !member.isComputed
    }
  }

  /// Indicates whether a request can only repeat the current value of a member.
  func isReadOnly(_ member: MemberInfo) -> Bool {
    switch self {
    case .new, .whole: member.role == .computedReadOnly
    case .read, .put, .replacement, .merge: !member.isWritable
    }
  }

  /// Returns the component name of this variant of a type's schema.
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

  /// Returns the description of this variant, or nil for `read`.
  func description(of type: String) -> String? {
    switch self {
    case .read: nil
    case .put: "The body of a `PUT` that replaces or creates a `\(type)`."
    case .replacement:
      """
      A replacement for an existing `\(type)`. All writable stored members are required. Read-only members may be \
      included with their current value or with the value that they have after the request.
      """
    case .merge: "A merge patch for a `\(type)` (RFC 7396). Omitted members are unchanged."
    case .new: "A new `\(type)`. Members with a default may be omitted."
    case .whole: "A complete `\(type)` as part of a value that can only be replaced as a whole."
    }
  }
}
