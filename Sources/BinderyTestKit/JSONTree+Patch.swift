package import BinderyCore
package import BinderyJSON

/// JSON Patch (RFC 6902) as a client of a patch stream (`?as=patch`) applies it.
///
/// With indices, paths are those of RFC 6901. With ids, they name elements by id, and the member `at` is the position
/// of an element that is added or moved.
extension JSONTree {
  /// The reason why a patch cannot be applied.
  package enum PatchFailure: Error {
    case malformed(String)
    /// A path segment names nothing in the value.
    case missing(String)
  }

  /// Applies all operations of a patch.
  ///
  /// - Throws: ``PatchFailure`` if an operation is malformed or its path does not exist. The value is undefined then.
  package mutating func apply(patch: String, _ addressing: PatchBuilder.Addressing = .indices) throws {
    for operation in try JSONDocument(parsing: Array(patch.utf8)).root.elements {
      let text = String(decoding: operation.text, as: UTF8.self)
      guard let op = operation["op"]?.string, let path = operation["path"]?.string.flatMap(Pointer.segments) else {
        throw PatchFailure.malformed(text)
      }
      var target = path
      if let at = operation["at"] {
        guard addressing == .ids, !path.isEmpty else { throw PatchFailure.malformed(text) }
        target[path.count - 1] = String(decoding: at.text, as: UTF8.self)
      }
      switch op {
      case "replace":
        guard let value = operation["value"] else { throw PatchFailure.malformed(text) }
        try edit(path[...], addressing) { $0 = JSONTree(value) }
      case "add":
        guard let value = operation["value"] else { throw PatchFailure.malformed(text) }
        try add(JSONTree(value), target, addressing)
      case "remove": _ = try remove(path, addressing)
      case "move":
        guard let from = operation["from"]?.string.flatMap(Pointer.segments) else { throw PatchFailure.malformed(text) }
        try add(try remove(from, addressing), target, addressing)
      default: throw PatchFailure.malformed(text)
      }
    }
  }

  /// Edits the value at a path in place.
  private mutating func edit(
    _ path: ArraySlice<String>, _ addressing: PatchBuilder.Addressing, _ body: (inout JSONTree) throws -> Void
  ) throws {
    guard let name = path.first else { return try body(&self) }
    let index = try position(of: name, addressing)
    switch self {
    case .array(var elements):
      self = .null
      try elements[index].edit(path.dropFirst(), addressing, body)
      self = .array(elements)
    case .object(var members):
      self = .null
      try members[index].value.edit(path.dropFirst(), addressing, body)
      self = .object(members)
    default: throw PatchFailure.missing(name)
    }
  }

  private mutating func add(_ value: JSONTree, _ path: [String], _ addressing: PatchBuilder.Addressing) throws {
    guard let last = path.last else {
      self = value
      return
    }
    try edit(path.dropLast(), addressing) { parent in
      switch parent {
      case .array(var elements):
        guard let index = Int(last), index <= elements.count else { throw PatchFailure.missing(last) }
        elements.insert(value, at: index)
        parent = .array(elements)
      case .object(var members):
        let index = members.firstIndex { !$0.key.utf8.lexicographicallyPrecedes(last.utf8) } ?? members.count
        members.insert(Member(key: last, value: value), at: index)
        parent = .object(members)
      default: throw PatchFailure.missing(last)
      }
    }
  }

  private mutating func remove(_ path: [String], _ addressing: PatchBuilder.Addressing) throws -> JSONTree {
    guard let last = path.last else { throw PatchFailure.missing("") }
    var removed: JSONTree?
    try edit(path.dropLast(), addressing) { parent in
      let index = try parent.position(of: last, addressing)
      switch parent {
      case .array(var elements):
        removed = elements.remove(at: index)
        parent = .array(elements)
      case .object(var members):
        removed = members.remove(at: index).value
        parent = .object(members)
      default: break
      }
    }
    guard let removed else { throw PatchFailure.missing(last) }
    return removed
  }

  /// Returns the index of an element, or of the member with a name.
  private func position(of name: String, _ addressing: PatchBuilder.Addressing) throws -> Int {
    let index =
      switch self {
      case .array(let elements) where addressing == .indices:
        Int(name).flatMap { elements.indices.contains($0) ? $0 : nil }
      case .array(let elements):
        elements.firstIndex { ($0["id"] ?? $0["date"])?.plain.utf8.elementsEqual(name.utf8) ?? false }
      case .object(let members): members.firstIndex { $0.key.utf8.elementsEqual(name.utf8) }
      default: Int?.none
      }
    guard let index else { throw PatchFailure.missing(name) }
    return index
  }

  /// The decoded string of a string value; otherwise the JSON text.
  package var plain: String { string ?? text }
}
