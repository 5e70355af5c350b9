package import BinderyJSON

extension TypeInfo {
  /// Returns the type of the part of a value that a name leads to; nil if there is none.
  package func part(named name: String) -> TypeInfo? {
    switch kind {
    case .scalar: nil
    case .product(let product): product.names.position(of: name.utf8.span).map { product.members[$0].type }
    case .sum(let cases): cases.first { $0.name.isSame(as: name) }?.payload
    case .optional(let wrapped): wrapped.isOptional ? wrapped : wrapped.part(named: name)
    case .elements(let part, _), .array(let part), .set(let part), .dictionary(let part, _): part
    }
  }

  /// Returns the path of the first member in the JSON of a value that the type does not store; nil if it stores all.
  func firstUnknownMember(in node: JSONNode) -> [String]? {
    if case .optional(let wrapped) = kind, !wrapped.isOptional { return wrapped.firstUnknownMember(in: node) }
    switch node.kind {
    case .object:
      for member in node.members {
        let name = member.key.string ?? ""
        let part: TypeInfo?
        if case .product(let product) = kind {
          part = product.storedType(of: name)
          if part == nil, !product.isOpen || product.names.position(of: name.utf8.span) != nil { return [name] }
        } else {
          part = self.part(named: name)
        }
        if let path = part?.firstUnknownMember(in: member.value) { return [name] + path }
      }
      return nil
    case .array:
      guard let elementType else { return nil }
      for (index, element) in node.elements.enumerated() {
        if let path = elementType.firstUnknownMember(in: element) { return [String(index)] + path }
      }
      return nil
    default: return nil
    }
  }

  /// The type of the elements of an array; nil for any other type.
  package var elementType: TypeInfo? {
    switch kind {
    case .elements(let element, _), .array(let element), .set(let element): element
    case .scalar, .product, .sum, .optional, .dictionary: nil
    }
  }
}

extension ProductInfo {
  /// Returns the type of a stored member; nil if there is none with the name.
  fileprivate func storedType(of name: String) -> TypeInfo? {
    guard let position = names.position(of: name.utf8.span) else { return nil }
    // A hidden member may have the name of a computed one.
    let member = members[position]
    return member.isComputed ? members.first { !$0.isComputed && $0.name.isSame(as: name) }?.type : member.type
  }
}

extension JSONTree {
  /// Returns this value of a type with its parts replaced: its members, payload, elements or entries. The only part of
  /// an optional is its value, in the same place.
  package func mapParts(of type: TypeInfo, _ transform: (JSONTree, TypeInfo) -> JSONTree) -> JSONTree {
    if case .optional(let wrapped) = type.kind, !wrapped.isOptional { return transform(self, wrapped) }
    switch self {
    case .array(let elements):
      guard let element = type.elementType else { return self }
      return .array(elements.map { transform($0, element) })
    case .object(let members):
      return .object(
        members.map { member in
          guard let part = type.part(named: member.key) else { return member }
          return Member(key: member.key, value: transform(member.value, part))
        })
    case .null, .bool, .number, .string: return self
    }
  }
}
