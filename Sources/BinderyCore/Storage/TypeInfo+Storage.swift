import BinderyText

extension TypeInfo {
  /// The stored layout of the type: one line for each leaf, with its path (`*` for elements and entries) and its type.
  /// The elements of a collection have one line more, with the member that is their id, and so have the entries of a
  /// dictionary, with the type of their keys, unless it is a string.
  ///
  /// Two versions of a model with the same layout can read each other's stored state.
  ///
  /// No name contains a space, a line feed, `*` or `?`; see ``layoutSegment(_:)``.
  package var storedLayout: [String] {
    var lines: [String] = []
    describe(at: "", into: &lines)
    return lines
  }

  /// The constraints of stored values, which the layout does not contain: one line for each.
  package var storedRules: [String] {
    var lines: [String] = []
    describeRules(at: "", into: &lines)
    return lines
  }

  /// Returns a name as a segment of a path in a layout: that of a JSON Pointer, in which control characters and what
  /// else is syntax in a layout are percent-encoded.
  static func layoutSegment(_ name: String) -> String {
    let isPlain = { (scalar: Unicode.Scalar) in scalar.value > 0x20 && !"%*?\u{7F}".unicodeScalars.contains(scalar) }
    let segment = Pointer.escaped(name)
    if segment.unicodeScalars.allSatisfy(isPlain) { return segment }
    return segment.unicodeScalars.map { scalar in
      isPlain(scalar) ? String(scalar) : "%" + scalar.value.hexadecimal(width: 2).uppercased()
    }.joined()
  }

  private func describeRules(at path: String, into lines: inout [String]) {
    lines += rules.map { "\(path) \($0)" }
    switch kind {
    case .scalar: break
    case .product(let product):
      for member in product.members where !member.isComputed {
        member.type.describeRules(at: "\(path)/\(Self.layoutSegment(member.name))", into: &lines)
      }
    case .sum(let cases):
      for enumCase in cases {
        enumCase.payload?.describeRules(at: "\(path)/\(Self.layoutSegment(enumCase.name))", into: &lines)
      }
    case .optional(let wrapped): wrapped.describeRules(at: "\(path)?", into: &lines)
    case .elements(let element, _), .array(let element), .set(let element):
      element.describeRules(at: "\(path)/*", into: &lines)
    case .dictionary(let value, let key):
      key.type.describeRules(at: "\(path) key", into: &lines)
      value.describeRules(at: "\(path)/*", into: &lines)
    }
  }

  /// Returns whether the type has an open object with a declared member that fulfills a condition.
  package func hasOpenObject(where fulfills: (MemberInfo) -> Bool) -> Bool {
    switch kind {
    case .scalar: false
    case .optional(let type), .elements(let type, _), .array(let type), .set(let type), .dictionary(let type, _):
      type.hasOpenObject(where: fulfills)
    case .sum(let cases): cases.contains { $0.payload?.hasOpenObject(where: fulfills) ?? false }
    case .product(let product):
      product.isOpen && product.members.contains(where: fulfills)
        || product.members.contains { $0.type.hasOpenObject(where: fulfills) }
    }
  }

  private func describe(at path: String, into lines: inout [String]) {
    switch kind {
    case .scalar(let scalar):
      let form = scalar.format ?? scalar.contentEncoding ?? scalar.type ?? "json"
      // The values of an enum are listed, because a stored value that is no longer one of them cannot be read.
      lines += scalar.values.isEmpty ? ["\(path) \(form)"] : scalar.values.map { "\(path) \(form) \($0)" }
    case .product(let product):
      for member in product.members where !member.isComputed {
        member.type.describe(at: "\(path)/\(Self.layoutSegment(member.name))", into: &lines)
      }
      if product.isOpen { lines.append("\(path)/* json") }
    case .sum(let cases):
      for enumCase in cases {
        let path = "\(path)/\(Self.layoutSegment(enumCase.name))"
        if let payload = enumCase.payload {
          payload.describe(at: path, into: &lines)
        } else {
          lines.append("\(path) case")
        }
      }
    case .optional(let wrapped): wrapped.describe(at: "\(path)?", into: &lines)
    case .elements(let element, _):
      lines += element.identity.map { ["\(path)/* by \(Self.layoutSegment($0.name))"] } ?? []
      element.describe(at: "\(path)/*", into: &lines)
    case .array(let element): element.describe(at: "\(path)/*", into: &lines)
    case .set(let element):
      lines.append("\(path) set")
      element.describe(at: "\(path)/*", into: &lines)
    case .dictionary(let value, let key):
      var keys: [String] = []
      key.type.describe(at: "\(path) key", into: &keys)
      if keys != ["\(path) key string"] { lines += keys }
      value.describe(at: "\(path)/*", into: &lines)
    }
  }
}
