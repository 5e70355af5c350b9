import BinderyDigest
import BinderyJSON

/// An object in JSON, its keys sorted by their bytes; each key is a segment of an address.
extension Dictionary: Bindable where Key: BinderyCore.Key & Bindable, Value: Bindable {
  public static var shape: Shape<[Key: Value]> { Entries<Key, Value>(value: Value.shape).shape }
}

private struct Entries<K: Key & Bindable & Hashable, Value: Sendable>: Sendable {
  let value: Shape<Value>

  var shape: Shape<[K: Value]> {
    Shape(
      type: TypeInfo(name: "Dictionary<\(value.type.name)>", kind: .dictionary(value.type, KeyInfo(K.self))),
      operations: .init(
        encode: encode,
        decode: { node, decoding throws(ValidationError) in try decode(node, &decoding) },
        areSame: { a, b in
          a.count == b.count
            && a.allSatisfy { key, one in b.index(ofSame: key).map { value.areSame(one, b[$0].value) } ?? false }
        },
        digest: { entries, digestKey in
          var parts: [Digest] = []
          for (text, key) in sorted(entries) {
            guard let one = entries[key] else { continue }
            parts.append(digestKey.leaf(JSONWriter.quoted(text).span))
            parts.append(value.digest(one, digestKey))
          }
          return digestKey.object(parts)
        },
        check: { entries, base throws(ValidationError) in
          for (key, one) in entries {
            do throws(ValidationError) { try value.check(one, since: base?[key]) } catch {
              throw error.under(key.keyText)
            }
          }
        },
        visit: { entries, route, index, reading throws(Absence) in
          guard case .key(let step) = route.steps[index], let key = step.typed(K.self),
            let entry = entries.index(ofSame: key)
          else { throw missing(route.steps[index], index) }
          try value.visit(entries[entry].value, route, index + 1, &reading)
        },
        edit: { entries, edit throws(EditError) in try self.edit(&entries, &edit) },
        descend: { entries, route, index, edit throws(EditError) in try descend(&entries, route, index, &edit) },
        construct: { route, index, edit throws(EditError) in
          guard case .key(let step) = route.steps[index], let key = step.typed(K.self) else {
            throw .cannotCreate(depth: index)
          }
          return [key: try value.construct(route, index + 1, &edit)]
        },
        observe: observe,
        difference: difference,
        store: { entries, writer in
          writer.writer.beginObject()
          for (text, key) in sorted(entries) {
            guard let one = entries[key] else { continue }
            writer.writer.key(text)
            value.store(one, into: &writer)
            writer.elementEnded()
          }
          writer.writer.endObject()
        }))
  }

  /// The keys are sorted once, however many slices the text has.
  private func encode(_ entries: [K: Value], into writer: inout JSONWriter) {
    let known = writer.isResuming ? writer.takeNote([(String, K)].self) : nil
    let keys = known ?? sorted(entries)
    var index = writer.openObject()
    while index < keys.count {
      let (text, key) = keys[index]
      if let one = entries[key] {
        if !writer.isResuming { writer.key(text) }
        value.encode(one, into: &writer)
      }
      if writer.stops(behind: index) { return writer.note(keys) }
      index += 1
    }
    writer.endObject()
  }

  private func observe(_ old: [K: Value]?, _ new: [K: Value], _ watch: WatchNode) {
    for child in watch.children.values {
      guard case .key(let step) = child.step, let key = step.typed(K.self) else { continue }
      if let index = new.index(ofSame: key) {
        let before = old.flatMap { old in old.index(ofSame: key).map { old[$0].value } }
        value.observe(before, new[index].value, child.watch)
      } else {
        child.watch.lose(watch.absence(of: step.text))
      }
    }
  }

  private func difference(_ old: [K: Value], _ new: [K: Value], _ difference: inout PatchBuilder) -> Bool {
    // What has not changed is not sorted.
    let gone = old.filter { key, _ in new.index(ofSame: key) == nil }
    let isInPlace = gone.isEmpty && old.count == new.count
    guard isInPlace || !difference.isBothWays else { return difference.eachWay(old, new, self.difference) }
    for (text, _) in sorted(gone) { difference.under(text) { $0.remove() } }
    let other = new.filter { key, one in old.index(ofSame: key).map { !value.areSame(old[$0].value, one) } ?? true }
    for (text, key) in sorted(other) {
      guard let one = other[key] else { continue }
      difference.under(text) { difference in
        if let before = old.index(ofSame: key) {
          value.difference(from: old[before].value, to: one, &difference)
        } else {
          difference.add(one, value)
        }
      }
    }
    return true
  }

  private func sorted(_ entries: [K: Value]) -> [(String, K)] {
    entries.keys.map { ($0.keyText, $0) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
  }

  private func missing(_ step: Step, _ depth: Int) -> Absence {
    if case .key(let key) = step { return Absence(.noSuchElement(key.text), depth: depth) }
    return Absence(.noSuchElement("-"), depth: depth)
  }

  private func decode(_ node: JSONNode, _ decoding: inout Decoding) throws(ValidationError) -> [K: Value] {
    guard node.kind == .object else { throw .wrongType(node, expected: "an object") }
    var entries: [K: Value] = [:]
    for (name, part) in node.members {
      let text = name.string ?? ""
      guard let key = K(keyText: text) else {
        throw ValidationError(.unknownMember, "“\(text)” is no key here", expected: "a \(K.shape.type.name)", at: text)
      }
      guard entries[key] == nil else { throw Self.taken(text, entries.index(ofSame: key) != nil) }
      do throws(ValidationError) { entries[key] = try value.decode(part, &decoding) } catch { throw error.under(text) }
    }
    return entries
  }

  private static func taken(_ text: String, _ isSame: Bool) -> ValidationError {
    let detail = isSame ? "“\(text)” stands twice" : "“\(text)” differs from another key only in normalization"
    return ValidationError(.duplicateMember, detail, at: text)
  }

  /// A merge writes to what exists, entry by entry; a replacement takes the place of all.
  private func edit(_ entries: inout [K: Value], _ edit: inout Edit) throws(EditError) {
    switch edit.operation {
    case .replace(let node), .insert(let node):
      entries = try edit.decoding(.complete) { decoding throws(ValidationError) in try decode(node, &decoding) }
    case .merge(let node):
      let sent = try EditError.invalidating { () throws(ValidationError) in try parts(of: node) }
      for (text, key, part) in sent {
        guard let entry = entries.index(ofSame: key) else {
          throw .absent(Absence(.noSuchElement(text), depth: edit.trail.count))
        }
        try edit.part(part, .key(TypedKey(key)), text) { edit throws(EditError) in
          try value.edit(&entries.values[entry], &edit)
        }
      }
    case .append, .remove: throw .invalid(ValidationError(.notRemovable, "this place cannot be empty"))
    }
  }

  private func parts(of node: JSONNode) throws(ValidationError) -> [(String, K, JSONNode)] {
    guard node.kind == .object else { throw .wrongType(node, expected: "an object") }
    var parts: [(String, K, JSONNode)] = []
    var seen: Set<[UInt8]> = []
    for (name, part) in node.members {
      let text = name.string ?? ""
      guard let key = K(keyText: text) else {
        throw ValidationError(.unknownMember, "“\(text)” is no key here", at: text)
      }
      guard seen.insert(Array(key.keyText.utf8)).inserted else { throw Self.taken(text, true) }
      parts.append((text, key, part))
    }
    return parts
  }

  private func descend(
    _ entries: inout [K: Value], _ route: Route, _ index: Int, _ edit: inout Edit
  ) throws(EditError) {
    guard case .key(let step) = route.steps[index], let key = step.typed(K.self) else {
      throw .absent(missing(route.steps[index], index))
    }
    let isLast = index == route.steps.count - 1
    if let entry = entries.index(ofSame: key) {
      if isLast, case .remove = edit.operation {
        entries.remove(at: entry)
      } else {
        try value.apply(&entries.values[entry], route, index + 1, &edit)
      }
    } else if edit.mayCreate, edit.node != nil {
      guard entries[key] == nil else { throw .invalid(Self.taken(step.text, false)) }
      entries[key] = try value.construct(route, index + 1, &edit)
      edit.created = true
    } else {
      throw .absent(Absence(.noSuchElement(step.text), depth: index))
    }
  }
}
