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
  /// What is written at the end stands there, since nothing on the way has a setter or an observer.
  package let isPlain: Bool

  package init(
    steps: [Step], target: TypeInfo, isWritable: Bool, isRemovable: Bool, isComputed: Bool = false,
    isPlain: Bool = false
  ) {
    self.steps = steps
    self.target = target
    self.isWritable = isWritable
    self.isRemovable = isRemovable
    self.isComputed = isComputed
    self.isPlain = isPlain
  }

  package static func root(_ type: TypeInfo) -> Route {
    Route(steps: [], target: type, isWritable: true, isRemovable: false, isPlain: true)
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
      guard resolution.take(segment.utf8Span.span) else { return nil }
    }
    return resolution.route
  }

  /// The same for the rest of a URL's path in which each segment, behind its slash, means what it is: in one pass over
  /// the bytes.
  ///
  /// - Returns: nil where the types know no such place, or a segment is empty.
  package func resolving(plain path: Span<UInt8>) -> Route? {
    var resolution = Resolution(route: self, form: .url)
    resolution.steps.reserveCapacity(8)
    var start = 0
    while start < path.count {
      guard path[start] == UInt8(ascii: "/") else { return nil }
      var end = start + 1
      while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
      guard end > start + 1, resolution.take(path.extracting(start + 1..<end)) else { return nil }
      start = end
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
  var isPlain: Bool
  let form: AddressForm

  init(route: Route, form: AddressForm) {
    steps = route.steps
    type = route.target
    isWritable = route.isWritable
    isRemovable = route.isRemovable
    isComputed = route.isComputed
    isPlain = route.isPlain
    self.form = form
  }

  private static let some = Array("some".utf8)

  var route: Route {
    Route(
      steps: steps, target: type, isWritable: isWritable, isRemovable: isRemovable, isComputed: isComputed,
      isPlain: isPlain)
  }

  mutating func take(_ segment: Span<UInt8>) -> Bool {
    switch type.kind {
    case .scalar: return false
    case .product(let product): return take(segment, of: product)
    case .sum(let cases): return take(segment, of: cases)
    case .optional(let wrapped):
      isRemovable = false
      // The layers of a nested optional are named; the innermost adds no segment.
      steps.append(.wrapped)
      type = wrapped
      if case .optional = wrapped.kind { return segment.elementsEqual(Self.some) }
      return take(segment)
    case .elements(let element, let key):
      // RFC 6901 §4 gives `-` a meaning of its own, which no id can take from it.
      if form == .pointer, segment.isHyphen { return takePosition(segment, element: element) }
      if take(segment, element: element, key: key) { return true }
      return form == .pointer && !key.couldBeIndex && takePosition(segment, element: element)
    case .dictionary(let value, let key): return take(segment, element: value, key: key)
    case .array(let element): return form == .pointer && takePosition(segment, element: element)
    }
  }

  private mutating func take(_ segment: Span<UInt8>, of product: ProductInfo) -> Bool {
    // By index: a loop over the members would copy each that it looks at.
    for index in product.members.indices where segment.elementsEqual(product.members[index].bytes) {
      let member = product.members[index]
      // A hidden member and one that shows may have the same name.
      guard form == .stored ? !member.isComputed : member.role != .hidden else { continue }
      steps.append(.member(index))
      type = member.type
      isWritable = isWritable && member.isWritable
      isComputed = isComputed || member.isComputed
      isPlain = isPlain && member.isPlain
      isRemovable = false
      return true
    }
    return false
  }

  private mutating func take(_ segment: Span<UInt8>, of cases: [CaseInfo]) -> Bool {
    for index in cases.indices where segment.elementsEqual(cases[index].bytes) {
      guard let payload = cases[index].payload else { return false }
      steps.append(.payload(index))
      type = payload
      isRemovable = false
      return true
    }
    return false
  }

  private mutating func take(_ segment: Span<UInt8>, element: TypeInfo, key: KeyInfo) -> Bool {
    guard let key = key.parse(segment) else { return false }
    isRemovable = !type.isFixed
    steps.append(.key(key))
    type = element
    return true
  }

  private mutating func takePosition(_ segment: Span<UInt8>, element: TypeInfo) -> Bool {
    if segment.isHyphen {
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
  init?(arrayIndex digits: Span<UInt8>) {
    guard !digits.isEmpty, digits.count <= 18, digits.count == 1 || digits[0] != 0x30 else { return nil }
    var number = 0
    for index in digits.indices {
      guard digits[index] >= 0x30, digits[index] <= 0x39 else { return nil }
      number = number * 10 + Int(digits[index] - 0x30)
    }
    self = number
  }
}

extension Span<UInt8> {
  fileprivate var isHyphen: Bool { count == 1 && self[0] == UInt8(ascii: "-") }

  fileprivate func elementsEqual(_ other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}

extension String {
  /// Sameness by bytes; `==` would take NFC and NFD for equal.
  package func isSame(as other: String) -> Bool { String.areSame(self, other) }
}
