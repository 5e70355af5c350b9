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
  /// A part of a value that can only be replaced completely, such as an element of an array.
  case whole
  /// A new value.
  case new
  /// A new element that needs an id, because the server generates ids only for the collection that a request adds to.
  case identified
  /// A merge patch sent with `PATCH` (RFC 7396).
  case merge

  /// Returns the variant for the value of a member, or nil if the schema does not contain the member.
  func memberVariant(_ role: MemberInfo.Role) -> OpenAPISchemaVariant? {
    switch (self, role) {
    case (_, .hidden): nil
    case (.read, _): .read
    case (_, .computedReadOnly): .whole
    case (.merge, .stored), (.merge, .computed): .merge
    case (.merge, _), (.put, .readOnly), (.put, .identity): .new
    case (.replacement, .stored), (.replacement, .computed): .replacement
    case (.replacement, _): .whole
    case (.put, _), (.new, .computed), (.identified, .computed), (.whole, .computed): .put
    case (.new, _), (.identified, _): .new
    case (.whole, _): .whole
    }
  }

  /// Returns the variant for the value of a member of a struct, or nil if the schema does not contain the member.
  func memberVariant(of member: MemberInfo, in product: ProductInfo) -> OpenAPISchemaVariant? {
    let variant = memberVariant(member.role)
    guard variant == .new, case .elements = member.type.kind, product.isNumbered(member) else { return variant }
    return .identified
  }

  /// The variant for the elements of a sequence. A sequence can only be replaced completely.
  var elementVariant: OpenAPISchemaVariant {
    switch self {
    case .read: .read
    case .new: .new
    case .identified: .identified
    case .put, .replacement, .merge, .whole: .whole
    }
  }

  /// The variant for the values of a dictionary. Unlike a sequence, a dictionary is merged entry by entry.
  var entryVariant: OpenAPISchemaVariant { self == .merge ? .merge : elementVariant }

  /// Whether the schema requires a member.
  func requires(_ member: MemberInfo) -> Bool {
    if member.omitsNull { return false }
    return switch (self, member.role) {
    case (.read, _): true
    case (.merge, _): false
    // A replacement requires all stored members that are writable, a new value those without a default.
    case (.put, let role): role == .stored && !member.hasDefault
    case (.replacement, let role): role == .stored
    case (.new, _): !member.isComputed && !member.hasDefault
    case (.identified, let role): !member.isComputed && (role == .identity || !member.hasDefault)
    case (.whole, .readOnly): !member.hasDefault
    case (.whole, _): !member.isComputed
    }
  }

  /// Whether a member is set by the service alone, so that a request can only repeat its value.
  ///
  /// An id is not: clients choose it for a new element, although they cannot change it later.
  func isReadOnly(_ member: MemberInfo) -> Bool {
    switch self {
    case .new, .identified, .whole: member.role == .computedReadOnly
    case .read, .put, .replacement, .merge: !member.isWritable && member.role != .identity
    }
  }

  /// Returns the component name of this variant of a type's schema.
  func name(of type: String) -> String {
    switch self {
    case .read: type
    case .put: type + "Input"
    case .replacement: type + "Replacement"
    case .whole: "Whole" + type
    case .new: "New" + type
    case .identified: "Identified" + type
    case .merge: type + "Patch"
    }
  }

  /// Returns the description of this variant of a struct or enum.
  func description(of type: String) -> String {
    switch self {
    case .read: "A complete `\(type)`, as `GET` returns it."
    case .put:
      """
      A `\(type)` in a request that creates or replaces one. A new one may omit members with a default; a replacement \
      needs all writable stored members.
      """
    case .replacement: "A replacement of an existing `\(type)`, with all writable stored members."
    case .whole: "A complete `\(type)` in a list, set or dictionary that is replaced as a whole."
    case .new: "A new `\(type)`. Members with a default may be omitted."
    case .identified: "A new `\(type)` with its id. Members with a default may be omitted."
    case .merge: "Changes of a `\(type)` (RFC 7396). Omitted members stay as they are."
    }
  }
}
