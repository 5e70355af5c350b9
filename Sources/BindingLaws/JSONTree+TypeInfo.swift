import BinderyCore
import BinderyJSON

/// Transformations of a JSON tree guided by the type that it describes.
extension JSONTree {
  /// Returns an object with one member.
  static func object(_ key: String, _ value: JSONTree) -> JSONTree { .object([Member(key: key, value: value)]) }

  var isNull: Bool { self == .null }

  /// Returns whether `==` of Swift's scalar types would regard both values as equal.
  ///
  /// `String ==` ignores normalization, and `Double ==` regards 0 and -0 as equal.
  func isEqualAsSwiftValue(to other: JSONTree) -> Bool {
    switch (self, other) {
    case (.number(let a), .number(let b)): a == b || Double(a) == Double(b)
    case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isEqualAsSwiftValue(to: $1) }
    case (.object(let a), .object(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.key == $1.key && $0.value.isEqualAsSwiftValue(to: $1.value) }
    default: self == other
    }
  }

  /// Returns the tree without computed members. The remaining members determine the value.
  func withoutComputed(_ type: TypeInfo) -> JSONTree {
    var stored = self
    if case .product(let product) = type.kind, case .object(let fields) = self {
      stored = .object(fields.filter { field in !product.members.contains { $0.isComputed && $0.name == field.key } })
    }
    return stored.mapParts(of: type) { $0.withoutComputed($1) }
  }

  /// Returns the tree with the elements of sets in an order that is the same for elements that Swift regards as equal.
  func sortingSets(_ type: TypeInfo) -> JSONTree {
    let sorted = mapParts(of: type) { $0.sortingSets($1) }
    guard case .set = type.kind, case .array(let elements) = sorted else { return sorted }
    return .array(elements.sorted { $0.precedes($1) })
  }

  /// Returns the tree with the ids and read-only members replaced by those of the current value.
  func preservingReadOnly(of current: JSONTree?, _ type: TypeInfo) -> JSONTree {
    guard let current, case .object(let fields) = self else { return self }
    switch type.kind {
    case .product(let product):
      return .object(
        fields.map { field in
          guard let member = product.members.first(where: { $0.name == field.key }), let old = current[field.key]
          else { return field }
          let value = member.isWritable ? field.value.preservingReadOnly(of: old, member.type) : old
          return Member(key: field.key, value: value)
        })
    case .sum(let cases):
      return .object(
        fields.map { field in
          guard let payload = cases.first(where: { $0.name == field.key })?.payload else { return field }
          return Member(key: field.key, value: field.value.preservingReadOnly(of: current[field.key], payload))
        })
    case .optional(let wrapped):
      guard case .optional = wrapped.kind else { return preservingReadOnly(of: current, wrapped) }
      return .object(
        fields.map { Member(key: $0.key, value: $0.value.preservingReadOnly(of: current[$0.key], wrapped)) })
    default: return self
    }
  }

  /// Returns whether the tree precedes another in an order that does not distinguish canonically equivalent strings, or
  /// zero and minus zero.
  private func precedes(_ other: JSONTree) -> Bool {
    if case .number(let a) = self, case .number(let b) = other, let a = Double(a), let b = Double(b) { return a < b }
    return text < other.text
  }

  /// Returns the tree with another subtree at a path; nil if the path does not exist.
  ///
  /// Elements of arrays are addressed by position.
  func replacing(_ segments: some Collection<String>, with part: JSONTree) -> JSONTree? {
    guard let first = segments.first else { return part }
    switch self {
    case .object(var fields):
      guard let index = fields.firstIndex(where: { $0.key.utf8.elementsEqual(first.utf8) }),
        let value = fields[index].value.replacing(segments.dropFirst(), with: part)
      else { return nil }
      fields[index].value = value
      return .object(fields)
    case .array(var elements):
      guard let index = Int(first), elements.indices.contains(index),
        let value = elements[index].replacing(segments.dropFirst(), with: part)
      else { return nil }
      elements[index] = value
      return .array(elements)
    default: return nil
    }
  }
}

extension TypeInfo {
  /// Whether merging a value's own JSON into it can remove entries: in a merge into a dictionary, null
  /// removes an entry (RFC 7396), also if the values are optional.
  var hasOptionalEntries: Bool {
    switch kind {
    // Arrays are not merged.
    case .scalar, .array, .set, .elements: false
    case .product(let product): product.members.contains { $0.type.hasOptionalEntries }
    case .sum(let cases): cases.contains { $0.payload?.hasOptionalEntries ?? false }
    case .optional(let wrapped): wrapped.hasOptionalEntries
    case .dictionary(let value, _):
      switch value.kind {
      case .optional: true
      // Any JSON value can be null.
      case .scalar(let scalar): scalar.type == nil
      default: value.hasOptionalEntries
      }
    }
  }
}
