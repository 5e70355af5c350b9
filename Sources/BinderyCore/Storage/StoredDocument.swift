import BinderyJSON

/// A stored state as JSON, to which patches are applied without decoding its values.
///
/// The values may have been written by another version of the model. A value that does not fit the types can therefore
/// be replaced by a later patch.
package struct StoredDocument {
  private var root: Part
  private let layout: StoredLayout

  /// Creates a document from a text in the storage format.
  ///
  /// - Parameter layout: The layouts of the types that have written the text and the patches; see
  ///   ``TypeInfo/storedLayout``. They name the ids of elements, also of those that the model no longer has.
  package init(parsing text: [UInt8], layout: some Sequence<String>) throws(RestoreError) {
    root = .json(try StoredPatch.parse(text))
    self.layout = StoredLayout(layout)
  }

  /// The text in the storage format.
  package var text: [UInt8] {
    var writer = JSONWriter()
    root.write(into: &writer)
    return writer.bytes
  }

  /// Applies a patch in the storage format.
  package mutating func apply(_ patch: StoredPatch) throws(RestoreError) {
    for operation in patch.operations {
      guard try root.apply(operation, operation.segments[...], layout) else {
        throw RestoreError("unknown path: the stored state does not have it", at: operation.pointer)
      }
    }
  }
}

/// A value in a ``StoredDocument``.
private indirect enum Part: Sendable {
  /// A value without changes.
  case json(JSONNode)
  /// An object, by the UTF-8 of its names.
  case object([[UInt8]: Part])
  /// An array whose elements have ids.
  case elements(Identified<Element>)

  struct Element: Identifiable, Sendable {
    /// The text of the id.
    let id: String
    var part: Part
  }

  /// Applies an operation to the place that the segments lead to.
  ///
  /// - Returns: False if there is no such place.
  mutating func apply(
    _ operation: StoredOperation, _ segments: ArraySlice<String>, _ layout: StoredLayout?
  ) throws(RestoreError) -> Bool {
    guard let name = segments.first else {
      guard case .replace(let node) = operation.verb else { return false }
      self = .json(node)
      return true
    }
    expand(layout)
    let rest = segments.dropFirst()
    switch self {
    case .json: return false
    case .object(var members):
      // The dictionary must not be shared while it changes.
      self = .object([:])
      defer { self = .object(members) }
      let key = Array(name.utf8)
      switch operation.verb {
      case .replace(let node) where rest.isEmpty, .add(let node, nil) where rest.isEmpty: members[key] = .json(node)
      case .remove where rest.isEmpty: return members.removeValue(forKey: key) != nil
      default:
        guard try members[key]?.apply(operation, rest, layout?.part(name)) == true else { return false }
        if rest.count == 1, case .add(_, .some) = operation.verb, let id = Int(rest[rest.startIndex]) {
          raiseNumber(beside: name, to: id, in: &members)
        }
      }
      return true
    case .elements(var elements):
      self = .elements([])
      defer { self = .elements(elements) }
      switch operation.verb {
      case .replace(let node) where rest.isEmpty:
        return elements.edit(id: name) { $0.part = .json(node) } != nil
      case .add(let node, let index?) where rest.isEmpty:
        return (try? elements.insert(Element(id: name, part: .json(node)), at: index)) != nil
      case .remove where rest.isEmpty: return elements.remove(id: name) != nil
      case .move(let index) where rest.isEmpty: return elements.move(id: name, to: index)
      default:
        return try elements.edit(id: name) { element throws(RestoreError) in
          try element.part.apply(operation, rest, layout?.part(name))
        } ?? false
      }
    }
  }

  /// Replaces a value without changes by its parts.
  private mutating func expand(_ layout: StoredLayout?) {
    guard case .json(let node) = self else { return }
    switch node.kind {
    case .object:
      let members = node.members.map { (Array(($0.key.string ?? "").utf8), Part.json($0.value)) }
      self = .object(Dictionary(members) { first, _ in first })
    case .array:
      guard let id = layout?.id else { return }
      let elements = node.elements.compactMap { node in
        let id = node.members.first { TypeInfo.layoutSegment($0.key.string ?? "") == id }?.value
        return id.map { Element(id: $0.string ?? String(decoding: $0.text, as: UTF8.self), part: .json(node)) }
      }
      self = .elements(Identified(uniquing: elements))
    case .null, .bool, .number, .string: break
    }
  }

  /// Raises the largest id of a collection, which a hidden member beside it keeps.
  ///
  /// No patch contains that member; see ``LargestID``.
  private func raiseNumber(beside collection: String, to id: Int, in members: inout [[UInt8]: Part]) {
    let key = Array(LargestID.name(beside: collection).utf8)
    guard case .json(let node)? = members[key], case .value(var last) = node.integer() else { return }
    if last == 0, case .elements(let elements)? = members[Array(collection.utf8)] {
      // The elements may be older than the hidden member.
      last = elements.reduce(0) { max($0, Int64($1.id) ?? 0) }
    }
    guard let raised = try? JSONDocument(parsing: Array("\(max(last, Int64(id)))".utf8), maximumDepth: 1) else {
      return
    }
    members[key] = .json(raised.root)
  }

  func write(into writer: inout JSONWriter) {
    switch self {
    case .json(let node): writer.raw(Array(node.text))
    case .object(let members):
      writer.beginObject()
      for (name, part) in members.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        writer.key(String(decoding: name, as: UTF8.self))
        part.write(into: &writer)
      }
      writer.endObject()
    case .elements(let elements):
      writer.beginArray()
      for element in elements { element.part.write(into: &writer) }
      writer.endArray()
    }
  }
}

/// The collections in a layout: the places whose elements are addressed by a member.
private struct StoredLayout: Sendable {
  /// The member that is the id of the elements, as a segment of a layout; nil if the place is no collection.
  private(set) var id: String?
  private var parts: [String: StoredLayout] = [:]

  /// Collects the collections from the lines of layouts.
  init(_ lines: some Sequence<String>) {
    for line in lines {
      // A name may begin with a combining mark.
      let words = line.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
      if words.count == 3, words[1] == "by" { add(Self.segments(of: words[0])[...], id: words[2]) }
    }
  }

  /// Returns the layout of the part of a value that a name leads to; nil if there is no collection at or below it.
  func part(_ name: String) -> StoredLayout? { parts[TypeInfo.layoutSegment(name)] ?? parts["*"] }

  private mutating func add(_ path: ArraySlice<String>, id: String) {
    // The last segment stands for the elements.
    if path.count > 1, let name = path.first {
      parts[name, default: StoredLayout(EmptyCollection())].add(path.dropFirst(), id: id)
    } else {
      self.id = id
    }
  }

  /// Returns the segments that a pointer has for a path of a layout.
  private static func segments(of path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).flatMap { segment in
      let name = segment.prefix { $0 != UInt8(ascii: "?") }
      // Each layer of a nested optional but the innermost one has a segment.
      return [String(decoding: name, as: UTF8.self)]
        + Array(repeating: "some", count: max(0, segment.count - name.count - 1))
    }
  }
}
