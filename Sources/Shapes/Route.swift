import Trees

/// An address resolved against the types: the steps, what stands there, and what may be done with it.
@usableFromInline
package final class Route: Sendable {
  @usableFromInline package let steps: [Step]
  package let target: TypeInfo
  /// No step goes through something read-only.
  package let isWritable: Bool
  /// The last step names something that can be taken away.
  package let isRemovable: Bool
  /// A step goes through a computed member.
  package let isComputed: Bool

  package init(steps: [Step], target: TypeInfo, isWritable: Bool, isRemovable: Bool, isComputed: Bool = false) {
    self.steps = steps
    self.target = target
    self.isWritable = isWritable
    self.isRemovable = isRemovable
    self.isComputed = isComputed
  }

  package static func root(_ type: TypeInfo) -> Route {
    Route(steps: [], target: type, isWritable: true, isRemovable: false)
  }

  /// `DELETE` is for optionals and elements.
  package var canDelete: Bool {
    guard isWritable else { return false }
    if case .optional = target.kind { return true }
    return isRemovable
  }

  /// `POST` is for sequences whose elements have ids.
  package var canAppend: Bool {
    guard isWritable, !target.isFixed, case .elements = target.kind else { return false }
    return true
  }

  package var isCollection: Bool {
    if case .elements = target.kind { return true }
    return false
  }
}

/// Which spellings an address may use.
package enum AddressForm: Sendable {
  /// A URL: elements by id.
  case url
  /// A JSON Patch pointer: elements by id, by index, or `-`.
  case pointer
  /// A pointer of what is kept: elements by id; hidden members are there, and computed ones are not.
  case stored
}

extension Route {
  /// Resolves further segments, directed by the types and never by values.
  ///
  /// - Returns: nil where the types know no such place.
  package func resolving(_ segments: [String], form: AddressForm) -> Route? {
    var resolution = Resolution(route: self, form: form)
    for segment in segments {
      guard resolution.take(segment) else { return nil }
    }
    return resolution.route
  }
}

private struct Resolution {
  var steps: [Step]
  var type: TypeInfo
  var isWritable: Bool
  var isRemovable: Bool
  var isComputed: Bool
  let form: AddressForm

  init(route: Route, form: AddressForm) {
    steps = route.steps
    type = route.target
    isWritable = route.isWritable
    isRemovable = route.isRemovable
    isComputed = route.isComputed
    self.form = form
  }

  var route: Route {
    Route(steps: steps, target: type, isWritable: isWritable, isRemovable: isRemovable, isComputed: isComputed)
  }

  mutating func take(_ segment: String) -> Bool {
    switch type.kind {
    case .scalar: return false
    case .product(let product): return take(segment, of: product)
    case .sum(let cases): return take(segment, of: cases)
    case .optional(let wrapped):
      isRemovable = false
      // The layers of a nested optional are named; the innermost adds no segment.
      steps.append(.wrapped)
      type = wrapped
      if case .optional = wrapped.kind { return segment == "some" }
      return take(segment)
    case .elements(let element, let key):
      // RFC 6901 §4 gives `-` a meaning of its own, which no id can take from it.
      if form == .pointer, segment == "-" { return takePosition(segment, element: element) }
      if take(segment, element: element, key: key) { return true }
      return form == .pointer && !key.couldBeIndex && takePosition(segment, element: element)
    case .dictionary(let value, let key): return take(segment, element: value, key: key)
    case .array(let element): return form == .pointer && takePosition(segment, element: element)
    }
  }

  private mutating func take(_ segment: String, of product: ProductInfo) -> Bool {
    let isHere: (MemberInfo) -> Bool = { [form] in form == .stored ? !$0.isComputed : $0.role != .hidden }
    guard let index = product.members.firstIndex(where: { isHere($0) && $0.name.isSame(as: segment) }) else {
      return false
    }
    steps.append(.member(index))
    type = product.members[index].type
    isWritable = isWritable && product.members[index].isWritable
    isComputed = isComputed || product.members[index].isComputed
    isRemovable = false
    return true
  }

  private mutating func take(_ segment: String, of cases: [CaseInfo]) -> Bool {
    guard let index = cases.firstIndex(where: { $0.name.isSame(as: segment) }), let payload = cases[index].payload
    else { return false }
    steps.append(.payload(index))
    type = payload
    isRemovable = false
    return true
  }

  private mutating func take(_ segment: String, element: TypeInfo, key: KeyInfo) -> Bool {
    guard let key = key.parse(segment) else { return false }
    isRemovable = !type.isFixed
    steps.append(.key(key))
    type = element
    return true
  }

  private mutating func takePosition(_ segment: String, element: TypeInfo) -> Bool {
    if segment == "-" {
      steps.append(.end)
    } else if let index = Int(arrayIndex: segment) {
      steps.append(.index(index))
    } else {
      return false
    }
    isRemovable = !type.isFixed
    type = element
    return true
  }
}

extension Int {
  /// An array index as RFC 6901 §4 spells it: digits without a leading zero.
  init?(arrayIndex text: String) {
    let digits = text.utf8
    guard !digits.isEmpty, digits.count <= 18, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    guard digits.count == 1 || digits.first != 0x30 else { return nil }
    self.init(text)
  }
}

extension String {
  /// Sameness by bytes; `==` would take NFC and NFD for equal.
  package func isSame(as other: String) -> Bool { String.areSame(self, other) }
}
