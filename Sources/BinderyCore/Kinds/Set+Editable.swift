import BinderyDigest
import BinderyJSON
import BinderyText

/// An array in JSON, sorted by the bytes of the canonical JSON of its elements.
///
/// A request may list the elements in any order, but each only once. A set is written as a whole: its elements have no
/// addresses.
extension Set: Editable where Element: Editable {
  /// An array without duplicates, sorted by the bytes of the elements.
  public static var shape: EditableShape<Set<Element>> { SetShape(elementShape: Element.resolveShape()).shape }
}

/// Implements the operations of a set's shape.
struct SetShape<Element: Hashable & Sendable>: Sendable {
  let elementShape: EditableShape<Element>
  private let orders = SharedValues(keepingLatest: true)

  init(elementShape: EditableShape<Element>) { self.elementShape = elementShape }

  /// The elements with their canonical JSON, sorted by its bytes.
  typealias Sorted = [(value: Element, json: [UInt8])]

  var shape: EditableShape<Set<Element>> {
    let whole = EditableShape<Set<Element>>.leaf(
      TypeInfo(name: "Set<\(elementShape.type.name)>", kind: .set(elementShape.type)),
      encode: encode,
      decode: { node throws(ValidationError) in
        var decoding = Decoding(.complete)
        return try decode(node, &decoding)
      },
      areSame: areSame)
    var operations = whole.operations
    operations.decode = { node, decoding throws(ValidationError) in try decode(node, &decoding) }
    operations.check = { value, base throws(ValidationError) in try check(value, base) }
    operations.elementCount = \.count
    operations.store = { value, writer in
      writer.array(sorted(value)) { elementShape.store($0.value, into: &$1) }
    }
    return whole.with(operations, type: whole.type)
  }

  private func areSame(_ a: Set<Element>, _ b: Set<Element>) -> Bool {
    if haveSameBits(a, b) { return true }
    guard a.count == b.count else { return false }
    let areEqual = a.allSatisfy { element in
      b.firstIndex(of: element).map { elementShape.areSame(element, b[$0]) } ?? false
    }
    // Swift may distinguish elements that JSON does not.
    return areEqual || zip(sorted(a), sorted(b)).allSatisfy { elementShape.areSame($0.value, $1.value) }
  }

  /// Returns the elements in the order of JSON.
  private func sorted(_ value: Set<Element>) -> Sorted {
    func sort() -> Sorted {
      value.map { ($0, elementShape.json($0)) }.sorted { $0.json.span.precedes($1.json.span) }
    }
    if value.count < 1_000 { return sort() }
    return orders.entry(for: value, sort).value as? Sorted ?? sort()
  }

  /// Writes the elements.
  ///
  /// A document may be written in several slices. The elements are sorted only once and saved in the writer between
  /// slices.
  private func encode(_ value: Set<Element>, into writer: inout JSONWriter) {
    let saved = writer.isResuming ? writer.restoreState(Sorted.self) : nil
    let elements = saved ?? sorted(value)
    writer.array(
      { elements[$0...] },
      { element, writer in
        if writer.omitsComputed { elementShape.encode(element.value, into: &writer) } else { writer.raw(element.json) }
      })
    if writer.hasStopped { writer.saveState(elements) }
  }

  private func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(ValidationError) -> Set<Element> {
    guard node.kind == .array else { throw .wrongType(node, expected: "an array of distinct elements") }
    var elements: Set<Element> = []
    var failure: ValidationError?
    for (index, part) in node.elements.enumerated() {
      _ = try decoding.element(String(index), &failure) { decoding throws(ValidationError) in
        if part.hasTooManyMarks { throw Self.tooManyMarks }
        let element = try elementShape.decode(part, &decoding)
        let (isInserted, existing) = elements.insert(element)
        guard isInserted else { throw Self.duplicate(part, isSame: elementShape.areSame(element, existing)) }
      }
    }
    if let failure { throw failure }
    return elements
  }

  /// Checks the elements, that each can be decoded again, and that their JSON differs: Swift may distinguish elements
  /// that JSON does not, such as dates within the same millisecond.
  private func check(_ value: Set<Element>, _ base: Set<Element>?) throws(ValidationError) {
    if let base, areSame(base, value) { return }
    let elements = sorted(value)
    for (index, element) in elements.enumerated() {
      do throws(ValidationError) {
        try elementShape.check(element.value, since: nil)
        if String(decoding: element.json, as: UTF8.self).hasTooManyMarks { throw Self.tooManyMarks }
      } catch { throw error.under(String(index)) }
      guard index == 0 || elements[index - 1].json != element.json else {
        let text = String(decoding: element.json.prefix(60), as: UTF8.self)
        throw ValidationError(
          .value, "two elements of the set have the same JSON, \(text)", expected: "distinct elements",
          at: String(index))
      }
    }
  }

  private static var tooManyMarks: ValidationError {
    ValidationError(.value, "a text in a set has more than 30 combining marks in a row")
  }

  /// Returns the error for an element that `Set` treats as equal to an earlier one.
  private static func duplicate(_ node: JSONNode, isSame: Bool) -> ValidationError {
    let text = node.excerpt(maximum: 40)
    // Strings in different Unicode normalization forms, and zero and minus zero.
    let detail = isSame ? "\(text) is in the set twice" : "\(text) is equal to another element of the set in Swift"
    return ValidationError(.value, detail, expected: "an array of distinct elements")
  }
}

extension JSONNode {
  /// Whether a string in this value, or a name in it, has too many combining marks in a row to be compared.
  fileprivate var hasTooManyMarks: Bool {
    switch kind {
    case .string: string?.hasTooManyMarks ?? false
    case .array: elements.contains { $0.hasTooManyMarks }
    case .object: members.contains { $0.key.hasTooManyMarks || $0.value.hasTooManyMarks }
    case .null, .bool, .number: false
    }
  }
}
