import BinderyText

extension JSONNode {
  /// Returns whether two values are equal by RFC 6902 §4.6: numbers by value, strings by code points, objects
  /// independently of member order.
  ///
  /// Duplicate members of one name are compared in source order.
  /// - Complexity: O(*n*) in the length of both texts; O(*n* log *n*) if the member order differs.
  package func equals(_ other: JSONNode) -> Bool {
    let (left, right) = (entry, other.entry)
    guard kind == other.kind, left.count == right.count else { return false }
    switch left.kind {
    case .null:
      return true
    case .true, .false:
      return left.kind == right.kind
    case .number:
      let (bytes, otherBytes) = (document.bytes, other.document.bytes)
      return JSONDecimal.areEqual(bytes.span.extracting(left.range), otherBytes.span.extracting(right.range))
    case .string, .escapedString:
      return hasSameString(as: other)
    case .array:
      return zip(elements, other.elements).allSatisfy { $0.equals($1) }
    case .object:
      // Compare all names before any value. Otherwise values compared before a differing name would be compared again
      // after sorting, at every level, which is exponential in the depth.
      if zip(members, other.members).allSatisfy({ $0.key.hasSameString(as: $1.key) }) {
        return zip(members, other.members).allSatisfy { $0.value.equals($1.value) }
      }
      return zip(sortedMembers(), other.sortedMembers()).allSatisfy { $0.name == $1.name && $0.value.equals($1.value) }
    }
  }

  private func hasSameString(as other: JSONNode) -> Bool {
    withUTF8 { other.isString($0) } ?? false
  }

  /// Returns the members sorted by the bytes of their names, then by position.
  private func sortedMembers() -> [(name: [UInt8], value: JSONNode)] {
    members.map { (name: $0.withUTF8 { [UInt8](copying: $0) } ?? [], value: $1) }
      .sorted { left, right in
        left.name == right.name
          ? left.value.index < right.value.index : left.name.lexicographicallyPrecedes(right.name)
      }
  }
}
