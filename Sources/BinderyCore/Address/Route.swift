import BinderyText

/// An address that was resolved against the types.
///
/// It contains the steps, the type at their end, and the operations that the path allows.
@usableFromInline
package final class Route: Sendable {
  /// The steps from the root.
  @usableFromInline package let steps: [Step]
  /// The type at the end of the steps.
  package let target: TypeInfo
  /// Whether no step leads through a read-only member.
  package let isWritable: Bool
  /// Whether the last step names an element or entry that can be removed.
  package let isRemovable: Bool
  /// Whether a step leads through a computed member.
  package let isComputed: Bool
  /// The number of the first steps that lead to a value which contains everything that a write can change, because
  /// none of them leads through a setter or a property observer.
  package let directDepth: Int

  /// Creates a route.
  package init(
    steps: [Step], target: TypeInfo, isWritable: Bool, isRemovable: Bool, isComputed: Bool = false,
    directDepth: Int = 0
  ) {
    self.steps = steps
    self.target = target
    self.isWritable = isWritable
    self.isRemovable = isRemovable
    self.isComputed = isComputed
    self.directDepth = directDepth
  }

  /// Returns the route without steps.
  package static func root(_ type: TypeInfo) -> Route {
    Route(steps: [], target: type, isWritable: true, isRemovable: false)
  }

  /// Whether a written value is stored unchanged, because no step leads through a setter or a property observer.
  package var isDirectlyStored: Bool { directDepth == steps.count }

  /// Whether the path allows `DELETE`: it names a writable optional, element or entry.
  package var canDelete: Bool { isWritable && (isRemovable || target.isOptional) }

  /// Whether the path allows `POST`: it names a writable collection whose elements have ids.
  package var canAppend: Bool { isWritable && !target.isFixed && isCollection }

  /// Whether the path names a collection, a set or a dictionary.
  package var hasElements: Bool { target.kind.hasElements }

  /// Whether the path names a collection whose elements have ids.
  package var isCollection: Bool { if case .elements = target.kind { true } else { false } }
}

/// The forms of addresses, which differ in how they name elements.
package enum AddressForm: Sendable {
  /// A URL path. Elements are named by id.
  case url
  /// A pointer in a JSON Patch. Elements are named by id, by index, or by `-` (the end of the sequence).
  case pointer
  /// A pointer in the storage format. Elements are named by id. Hidden members have addresses, computed ones do not.
  case stored
}

extension Route {
  /// Resolves further segments against the types, without looking at values.
  ///
  /// - Parameters:
  ///   - segments: The unescaped segments.
  ///   - form: The form of the address.
  /// - Returns: The route, or nil if the types have no such place.
  package func resolving(_ segments: [String], form: AddressForm) -> Route? {
    var resolution = Resolution(route: self, form: form, capacity: segments.count)
    for segment in segments {
      guard resolution.append(segment.utf8Span.span) else { return nil }
    }
    return resolution.route
  }

  /// Resolves the rest of an address that contains no escapes, in one pass over the bytes.
  ///
  /// - Parameters:
  ///   - path: The segments, with a slash before each.
  ///   - form: The form of the address.
  /// - Returns: The route, or nil if the types have no such place or a segment is empty.
  package func resolving(plain path: Span<UInt8>, form: AddressForm = .url) -> Route? {
    var resolution = Resolution(route: self, form: form, capacity: 8)
    var start = 0
    while start < path.count {
      guard path[start] == UInt8(ascii: "/") else { return nil }
      var end = start + 1
      while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
      guard end > start + 1, resolution.append(path.extracting(start + 1..<end)) else { return nil }
      start = end
    }
    return resolution.route
  }
}

extension Route {
  /// Resolves one more segment against the types, without looking at values.
  ///
  /// - Parameter segment: The unescaped segment of a URL path.
  /// - Returns: The route, or nil if the types have no such place.
  package func resolving(segment: Span<UInt8>) -> Route? {
    var resolution = Resolution(route: self, form: .url, capacity: 2)
    return resolution.append(segment) ? resolution.route : nil
  }

  /// The description of the keys that can follow; nil if the next segment is no id or key of a collection.
  package var keyInfo: KeyInfo? {
    let type = if case .optional(let wrapped) = target.kind { wrapped } else { target }
    return switch type.kind {
    case .elements(_, let key), .dictionary(_, let key): key
    case .scalar, .product, .sum, .optional, .array, .set: nil
    }
  }

  /// Returns the route to another place of the same types: with other keys in the steps.
  ///
  /// - Parameter keys: As many keys as the route has.
  package func with(_ keys: RouteKeys) -> Route {
    guard keys.first != nil else { return self }
    var number = 0
    var changed: [Step] = []
    changed.reserveCapacity(steps.count)
    for index in steps.indices {
      if case .key = steps[index], let key = keys[number] {
        changed.append(.key(key))
        number += 1
      } else {
        changed.append(steps[index])
      }
    }
    return Route(
      steps: changed, target: target, isWritable: isWritable, isRemovable: isRemovable, isComputed: isComputed,
      directDepth: directDepth)
  }
}

/// The keys of a route, in the order of its steps.
package struct RouteKeys {
  // Most routes have one key, which needs no array.
  fileprivate private(set) var first: AnyKey?
  private var others: [AnyKey] = []

  package init() {}

  package mutating func append(_ key: AnyKey) {
    if first == nil { first = key } else { others.append(key) }
  }

  /// The key at an offset; nil if there are not so many.
  fileprivate subscript(offset: Int) -> AnyKey? {
    offset == 0 ? first : offset <= others.count ? others[offset - 1] : nil
  }
}

/// The state of resolving an address: the route up to the current segment.
private struct Resolution {
  var steps: [Step]
  var type: TypeInfo
  var isWritable: Bool
  var isRemovable: Bool
  var isComputed: Bool
  /// See ``Route/directDepth``; nil while all steps are direct.
  var directDepth: Int?
  let form: AddressForm

  /// - Parameter capacity: The number of further steps to reserve memory for.
  init(route: Route, form: AddressForm, capacity: Int) {
    steps = []
    steps.reserveCapacity(route.steps.count + capacity)
    steps.append(contentsOf: route.steps)
    type = route.target
    isWritable = route.isWritable
    isRemovable = route.isRemovable
    isComputed = route.isComputed
    directDepth = route.isDirectlyStored ? nil : route.directDepth
    self.form = form
  }

  private static let some = Array("some".utf8)

  var route: Route {
    Route(
      steps: steps, target: type, isWritable: isWritable, isRemovable: isRemovable, isComputed: isComputed,
      directDepth: directDepth ?? steps.count)
  }

  /// Appends the steps for a segment; returns false if the current type has no such part.
  mutating func append(_ segment: Span<UInt8>) -> Bool {
    switch type.kind {
    case .scalar, .set: return false
    case .product(let product): return append(segment, of: product)
    case .sum(let cases): return append(segment, of: cases)
    case .optional(let wrapped):
      isRemovable = false
      // Each layer of a nested optional has the segment `some`, except the innermost, which has none.
      steps.append(.wrapped)
      type = wrapped
      if case .optional = wrapped.kind { return segment.elementsEqual(Self.some) }
      return append(segment)
    case .elements(let element, let key):
      // In RFC 6901 §4, `-` is the position after the last element. This takes precedence over an element with the
      // id `-`.
      if form == .pointer, segment.isHyphen { return appendPosition(segment, element: element) }
      if append(segment, element: element, key: key) { return true }
      return form == .pointer && !key.couldBeIndex && appendPosition(segment, element: element)
    case .dictionary(let value, let key):
      guard append(segment, element: value, key: key) else { return false }
      // A key that another type wrote in another form is not the same key in stored JSON.
      return form != .stored || hasLastKey(segment)
    case .array(let element): return form == .pointer && appendPosition(segment, element: element)
    }
  }

  private mutating func append(_ segment: Span<UInt8>, of product: ProductInfo) -> Bool {
    // Iterates over indices, because iterating over the members would copy each one.
    let beginning = segment.beginning
    for index in product.beginnings.indices
    where product.beginnings[index] == beginning && segment.elementsEqual(product.members[index].bytes) {
      let member = product.members[index]
      // A hidden and a visible member may have the same name.
      guard form == .stored ? !member.isComputed : member.role != .hidden else { continue }
      // A member that JSON may leave out is added and removed in the struct that contains it.
      if !member.isDirectlyStored || member.omitsNull { endDirectSteps() }
      steps.append(.member(index))
      type = member.type
      isWritable = isWritable && member.isWritable
      isComputed = isComputed || member.isComputed
      isRemovable = false
      return true
    }
    return product.isOpen && appendFreeMember(segment, of: product)
  }

  /// Records that the next step leads through a setter or a property observer.
  private mutating func endDirectSteps() { directDepth = directDepth ?? steps.count }

  /// Appends a member that an open struct does not declare. It is a key.
  private mutating func appendFreeMember(_ segment: Span<UInt8>, of product: ProductInfo) -> Bool {
    guard !product.members.contains(where: { segment.elementsEqual($0.bytes) }),
      let name = String(_keyText: segment), Pointer.isMemberName(name), !LargestID.isName(name)
    else { return false }
    endDirectSteps()
    steps.append(.key(TypedKey(name)))
    type = .freeMember
    isRemovable = true
    return true
  }

  private mutating func append(_ segment: Span<UInt8>, of cases: [CaseInfo]) -> Bool {
    for index in cases.indices where segment.elementsEqual(cases[index].bytes) {
      guard let payload = cases[index].payload else { return false }
      steps.append(.payload(index))
      type = payload
      isRemovable = false
      return true
    }
    return false
  }

  private mutating func append(_ segment: Span<UInt8>, element: TypeInfo, key: KeyInfo) -> Bool {
    guard let key = key.parse(segment) else { return false }
    isRemovable = !type.isFixed
    steps.append(.key(key))
    type = element
    return true
  }

  /// Returns whether the last step is a key with exactly this text.
  private func hasLastKey(_ segment: Span<UInt8>) -> Bool {
    guard case .key(let key)? = steps.last else { return false }
    let text = key.text
    return segment.hasSameBytes(as: text.utf8Span.span)
  }

  private mutating func appendPosition(_ segment: Span<UInt8>, element: TypeInfo) -> Bool {
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
  /// Parses an array index (RFC 6901 §4): at most 18 digits without a leading zero.
  package init?(arrayIndex digits: Span<UInt8>) {
    guard digits.count <= 18, let number = Int(_keyText: digits), number >= 0 else { return nil }
    self = number
  }
}

extension Span<UInt8> {
  fileprivate var isHyphen: Bool { count == 1 && self[0] == UInt8(ascii: "-") }

  /// The length modulo 256 and the first seven bytes, by which most names differ.
  var beginning: UInt64 {
    var word = UInt64(truncatingIfNeeded: count)
    for index in 0..<Swift.min(count, 7) { word = word << 8 | UInt64(self[index]) }
    return word
  }

  fileprivate func elementsEqual(_ other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}

extension String {
  /// Returns whether two strings have the same bytes.
  ///
  /// `==` compares by canonical equivalence, so it treats NFC and NFD spellings as equal.
  package func isSame(as other: String) -> Bool { String._areSame(self, other) }
}
