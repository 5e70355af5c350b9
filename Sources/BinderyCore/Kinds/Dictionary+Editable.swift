import BinderyDigest
import BinderyJSON
import BinderyText

/// An object in JSON, with its keys sorted by their UTF-8. Each key is a segment of an address.
extension Dictionary: Editable where Key: PathKey & Editable, Value: Editable {
  /// An object. Its values are addressed by their keys.
  public static var shape: EditableShape<[Key: Value]> {
    DictionaryShape<Key, Value>(valueShape: Value.resolveShape()).shape
  }
}

/// Implements the operations of a dictionary's shape.
struct DictionaryShape<K: PathKey & Editable & Hashable, Value: Sendable>: Sendable {
  let valueShape: EditableShape<Value>
  private let orders = SharedValues(keepingLatest: true)

  init(valueShape: EditableShape<Value>) { self.valueShape = valueShape }

  var shape: EditableShape<[K: Value]> {
    EditableShape(
      type: TypeInfo(
        name: "Dictionary<\(valueShape.type.name)>", kind: .dictionary(valueShape.type, KeyInfo(K.self))),
      operations: .init(
        encode: encode,
        decode: { node, decoding throws(ValidationError) in try decode(node, &decoding) },
        areSame: { a, b in
          if haveSameBits(a, b) { return true }
          return a.count == b.count
            && a.allSatisfy { key, value in
              b.index(ofSame: key).map { valueShape.areSame(value, b[$0].value) } ?? false
            }
        },
        matches: matches,
        digest: { entries, context in
          context.key.object(count: entries.count) { parts in
            let order = EntryOrder(entries, sharing: orders)
            for index in 0..<order.count {
              let (key, value) = order[index]
              parts.append(context.json(key.keyText) { $1.string($0) })
              parts.append(valueShape.digest(value, &context))
            }
          }
        },
        check: valueShape.needsCheck || !K._textIsAlwaysUsable ? check : nil,
        visit: { entries, route, index, reading throws(Absence) in
          guard case .key(let step) = route.steps[index], let key = step.typed(K.self),
            let entry = entries.index(ofSame: key)
          else { throw missing(route.steps[index], index) }
          try valueShape.visit(entries[entry].value, route, index + 1, &reading)
        },
        edit: { entries, edit throws(EditError) in try self.edit(&entries, &edit) },
        descend: { entries, route, index, edit throws(EditError) in try descend(&entries, route, index, &edit) },
        construct: { route, index, edit throws(EditError) in
          guard case .key(let step) = route.steps[index], let key = step.typed(K.self) else {
            throw .cannotCreate(depth: index)
          }
          try EditError.invalidating { () throws(ValidationError) in try Self.requireReadable(key) }
          return [key: try valueShape.construct(route, index + 1, &edit)]
        },
        elementCount: \.count, observe: observe,
        difference: difference,
        store: { entries, writer in
          writer.writer.beginObject()
          let order = EntryOrder(entries)
          for index in 0..<order.count {
            let (key, value) = order[index]
            writer.writer.key(key.keyText)
            valueShape.store(value, into: &writer)
            if !writer.endElement() { break }
          }
          writer.writer.endObject()
        }))
  }

  /// Writes the entries, sorted by key.
  ///
  /// A document may be written in several slices. The keys are sorted only once and saved in the writer between slices.
  private func encode(_ entries: [K: Value], into writer: inout JSONWriter) {
    let order = EntryOrder(entries, sharing: orders, &writer)
    var index = writer.openObject()
    while index < order.count {
      let (key, value) = order[index]
      if !writer.isResuming { writer.key(key.keyText) }
      valueShape.encode(value, into: &writer)
      if writer.stops(after: index) { return order.save(in: &writer) }
      index += 1
    }
    writer.endObject()
  }

  private func check(_ entries: [K: Value], _ base: [K: Value]?) throws(ValidationError) {
    if let base, haveSameBits(entries, base) { return }
    for (key, value) in entries {
      let old = base?[key]
      if old == nil { try Self.requireReadable(key) }
      do throws(ValidationError) { try valueShape.check(value, since: old) } catch { throw error.under(key.keyText) }
    }
  }

  private func matches(_ entries: [K: Value], _ node: JSONNode, _ comparison: inout Comparison) -> Bool {
    let mayOmit = comparison.mayOmitEntries
    guard node.kind == .object, mayOmit || node.count == entries.count, let parts = try? parts(of: node) else {
      return false
    }
    return parts.allSatisfy { _, key, part in
      guard let entry = entries.index(ofSame: key) else { return mayOmit && part.isNull }
      return comparison.part(.key(TypedKey(key))) { valueShape.matches(entries[entry].value, part, &$0) }
    }
  }

  /// Notifies the watchers of entries.
  private func observe(_ old: [K: Value]?, _ new: [K: Value], _ watch: WatchNode) {
    for child in watch.children.values {
      guard case .key(let step) = child.step, let key = step.typed(K.self) else { continue }
      if let index = new.index(ofSame: key) {
        let before = old.flatMap { old in old.index(ofSame: key).map { old[$0].value } }
        valueShape.observe(before, new[index].value, child.watch)
      } else {
        child.watch.reportAbsence(watch.absence(of: step.text))
      }
    }
  }

  /// Appends the operations that turn `old` into `new`: removals first, then changes, each sorted by key.
  private func difference(_ old: [K: Value], _ new: [K: Value], _ difference: inout PatchBuilder) -> Bool {
    // Sorting is limited to the removed and the changed entries.
    let removed = old.filter { key, _ in new.index(ofSame: key) == nil }
    let keepsKeys = removed.isEmpty && old.count == new.count
    guard keepsKeys || !difference.writesUndo else { return difference.inBothDirections(old, new, self.difference) }
    for key in EntryOrder(removed).keys { difference.under(key.keyText) { $0.remove() } }
    let changed = new.filter { key, value in
      old.index(ofSame: key).map { !valueShape.areSame(old[$0].value, value) } ?? true
    }
    for key in EntryOrder(changed).keys {
      guard let value = changed[key] else { continue }
      difference.under(key.keyText) { difference in
        if let before = old.index(ofSame: key) {
          valueShape.difference(from: old[before].value, to: value, &difference)
        } else {
          difference.add(value, valueShape)
        }
      }
    }
    return true
  }

  /// Returns the error for a step to an entry that does not exist.
  private func missing(_ step: Step, _ depth: Int) -> Absence {
    if case .key(let key) = step { return Absence(.noSuchElement(key.text), depth: depth) }
    return Absence(.noSuchElement("-"), depth: depth)
  }

  private func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(ValidationError) -> [K: Value] {
    guard node.kind == .object else { throw .wrongType(node, expected: "an object") }
    var entries: [K: Value] = [:]
    var removed: Set<[UInt8]> = []
    var failure: ValidationError?
    for (name, part) in node.members {
      let text = name.string ?? ""
      _ = try decoding.element(text, isEntry: true, &failure) { decoding throws(ValidationError) in
        let key = try Self.key(from: text)
        // Later revisions in the store name the entry by the text of its key.
        if decoding.readsStore, !key.keyText.isSame(as: text) {
          throw ValidationError(.value, "the key “\(text)” would become “\(key.keyText)” in this model")
        }
        guard removed.isEmpty || !removed.contains(Array(key.keyText.utf8)) else {
          throw Self.duplicateKey(text, hasSameBytes: true)
        }
        // A merge removes the entry, which is not there.
        if decoding.isMerging, part.isNull, entries.index(ofSame: key) == nil {
          removed.insert(Array(key.keyText.utf8))
          return
        }
        try Self.requireReadable(key)
        guard entries[key] == nil else {
          throw Self.duplicateKey(text, hasSameBytes: entries.index(ofSame: key) != nil)
        }
        entries[key] = try valueShape.decode(part, &decoding)
      }
    }
    if let failure { throw failure }
    return entries
  }

  /// Returns the key with a text.
  private static func key(from text: String) throws(ValidationError) -> K {
    try refuseMarks(in: text)
    guard let key = K.key(from: text) else {
      throw ValidationError(
        .unknownMember, "“\(text)” is not a valid key", expected: KeyInfo(K.self).expectation)
    }
    return key
  }

  private static func refuseMarks(in text: String) throws(ValidationError) {
    if text.hasTooManyMarks { throw ValidationError(.value, "a key has more than 30 combining marks in a row") }
  }

  /// Throws if JSON cannot contain a key, or if another key has its text: two entries could have the same name in JSON.
  /// The state could not be read again.
  private static func requireReadable(_ key: K) throws(ValidationError) {
    if K._textIsAlwaysUsable { return }
    try refuseMarks(in: key.keyText)
    if K.self == String.self || K.key(from: key.keyText) == key { return }
    throw ValidationError(
      .value, "a \(K.self) is not the one that `key(from:)` returns for its `keyText`, “\(key.keyText)”")
  }

  /// Returns the error for a key that `Dictionary` treats as equal to an existing one.
  private static func duplicateKey(_ text: String, hasSameBytes: Bool) -> ValidationError {
    let detail =
      hasSameBytes
      ? "duplicate key “\(text)”" : "the key “\(text)” differs from another key only in Unicode normalization"
    return ValidationError(.duplicateMember, detail)
  }

  /// Merges into the entries (RFC 7396): `null` removes an entry, a missing one is added. Or replaces all of them.
  private func edit(_ entries: inout [K: Value], _ edit: inout Edit) throws(EditError) {
    let node = try edit.newValue()
    if edit.isReplacing {
      if valueShape.type.keepsMembers { return try replace(&entries, node, &edit) }
      entries = try edit.decoding(node, creating: false) { decoding throws(ValidationError) in
        try decode(node, &decoding)
      }
      return
    }
    let sent = try EditError.invalidating { () throws(ValidationError) in try parts(of: node) }
    for (text, key, part) in sent {
      if !part.isNull {
        try set(part, in: &entries, key, text, &edit)
      } else if let entry = entries.index(ofSame: key) {
        entries.remove(at: entry)
      }
    }
  }

  /// Edits an entry, or adds it.
  func set(
    _ node: JSONNode, in entries: inout [K: Value], _ key: K, _ text: String, _ edit: inout Edit
  ) throws(EditError) {
    let entry = entries.index(ofSame: key)
    guard entry != nil || entries[key] == nil else {
      throw .invalid(Self.duplicateKey(text, hasSameBytes: false).under(text))
    }
    try edit.part(node, .key(TypedKey(key)), text) { edit throws(EditError) in
      guard let entry else {
        try EditError.invalidating { () throws(ValidationError) in try Self.requireReadable(key) }
        entries[key] = try valueShape.decode(node, for: &edit, creating: edit.isCreating)
        return
      }
      try valueShape.applyToPart(&entries.values[entry], .here, 0, &edit)
    }
  }

  /// Returns the members of an object with their keys.
  func parts(of node: JSONNode) throws(ValidationError) -> [(String, K, JSONNode)] {
    guard node.kind == .object else { throw .wrongType(node, expected: "an object") }
    var parts: [(String, K, JSONNode)] = []
    var seen: Set<[UInt8]> = []
    for (name, part) in node.members {
      let text = name.string ?? ""
      let key: K
      do throws(ValidationError) { key = try Self.key(from: text) } catch { throw error.under(text) }
      guard seen.insert(Array(key.keyText.utf8)).inserted else {
        throw Self.duplicateKey(text, hasSameBytes: true).under(text)
      }
      parts.append((text, key, part))
    }
    return parts
  }

  /// Removes the entry at the last step, creates a missing entry, or continues in the entry.
  private func descend(
    _ entries: inout [K: Value], _ route: Route, _ index: Int, _ edit: inout Edit
  ) throws(EditError) {
    guard case .key(let step) = route.steps[index], let key = step.typed(K.self) else {
      throw .absent(missing(route.steps[index], index))
    }
    let isLast = index == route.steps.count - 1
    if let entry = entries.index(ofSame: key) {
      if isLast, edit.operation.kind == .remove {
        entries.remove(at: entry)
      } else {
        try valueShape.applyToPart(&entries.values[entry], route, index + 1, &edit)
      }
    } else if edit.mayCreate(at: index) {
      guard entries[key] == nil else {
        throw .invalid(Self.duplicateKey(step.text, hasSameBytes: false))
      }
      try EditError.invalidating { () throws(ValidationError) in try Self.requireReadable(key) }
      entries[key] = try valueShape.construct(route, index + 1, &edit)
      edit.created = true
    } else {
      throw .absent(Absence(.noSuchElement(step.text), depth: index))
    }
  }
}
