public import BinderyJSON

/// Structs in the form in which they are kept.
extension StructShape {
  @inlinable
  func store(_ value: Value, into writer: inout StoredWriter) {
    writer.writer.beginObject()
    for member in members {
      if member.info.isComputed || member.info.role == .hidden { writer.isAsShown = false }
      if member.info.isComputed { continue }
      writer.writer.key(precomputed: member.info.quotedKey)
      member.store(value, &writer)
    }
    writer.writer.endObject()
  }

  /// The members of an object that was kept, each at its place in the shape; others are passed over, or refused.
  @usableFromInline
  func storedSlots(of node: JSONNode, isExact: Bool) throws(ValidationError) -> [JSONNode?] {
    guard node.kind == .object else { throw .wrongType(node, expected: "an object") }
    var slots = [JSONNode?](repeating: nil, count: members.count)
    var next = 0
    for (key, part) in node.members {
      var index: Int? = next < members.count && key.isString(members[next].info.name) ? next : nil
      if index == nil { index = members.firstIndex { key.isString($0.info.name) } }
      guard let index, !members[index].info.isComputed else {
        if isExact { throw Self.notStored(key.string ?? "", isComputed: index != nil) }
        continue
      }
      guard slots[index] == nil else {
        throw ValidationError(
          .duplicateMember, "“\(members[index].info.name)” stands twice", at: members[index].info.name)
      }
      slots[index] = part
      next = index + 1
    }
    return slots
  }

  private static func notStored(_ name: String, isComputed: Bool) -> ValidationError {
    let detail = isComputed ? "“\(name)” follows from the other members; leave it out" : "there is no member “\(name)”"
    return ValidationError(.unknownMember, detail, at: name)
  }

  /// False where only the whole can be replaced.
  @inlinable
  func difference(_ old: Value, _ new: Value, _ difference: inout PatchBuilder) -> Bool {
    // Another thing in the same place is no change of its members.
    if let identity, !members[identity].areSame(old, new) { return false }
    switch difference.scope {
    case .shown:
      for member in members where member.info.role != .hidden && mayDiffer(member, old, new) {
        member.difference(old, new, &difference)
      }
    case .history, .stored:
      // A `let` cannot be put back alone.
      guard fixed.allSatisfy({ $0.areSame(old, new) }) else { return false }
      for member in editable {
        if member.info.role != .hidden {
          member.difference(old, new, &difference)
        } else if difference.scope == .stored {
          difference.throughHidden { member.difference(old, new, &$0) }
        }
      }
    }
    return true
  }
}

/// A key path as a value that may cross threads.
@usableFromInline
struct WritablePath<Root, Value>: @unchecked Sendable {
  // As in `AnyKeyPathBox`: made of a literal, and immutable.
  @usableFromInline let path: WritableKeyPath<Root, Value>

  @inlinable
  init(path: WritableKeyPath<Root, Value>) { self.path = path }
}

extension MemberTable {
  /// A write through a key path that says no more than that it reads; nil where it can do no more.
  @inlinable
  static func restoring<Value>(_ path: KeyPath<Root, Value>, _ shape: Shape<Value>) -> Write? {
    guard let writable = path as? WritableKeyPath<Root, Value> else { return nil }
    let box = WritablePath(path: writable)
    return { root, route, index, edit throws(EditError) in
      try shape.apply(&root[keyPath: box.path], route, index, &edit)
    }
  }
}
