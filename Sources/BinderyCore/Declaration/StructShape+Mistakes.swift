import BinderyJSON

/// Checks of a declaration, which stop the process with a message. They run once, when the shape is created.
extension StructShape {
  /// Stops the process if the declaration is wrong in a way that the compiler cannot see.
  @usableFromInline
  func requireConsistency() {
    requireNames()
    requireOneID()
    requireDistinctProperties()
    requireSources()
    requireOrder()
  }

  /// A name must be the segment of a URL, and two visible members, or two stored ones, must have different names. A
  /// hidden member may have the name of a computed one.
  private func requireNames() {
    for member in members where !Pointer.isMemberName(member.info.name) {
      fatalError(
        "The shape of \(Value.self) has a member named “\(member.info.name)”, which no URL can address. Rename it.")
    }
    for names in [visible.map(\.info.name), stored.map(\.info.name)] {
      if let duplicate = names.firstDuplicate {
        fatalError("The shape of \(Value.self) has two members named “\(duplicate)”. Rename one of them.")
      }
    }
  }

  private func requireOneID() {
    let ids = members.filter { $0.info.role == .identity }.map { "“\($0.info.name)”" }
    guard ids.count > 1 else { return }
    fatalError("The shape of \(Value.self) declares \(ids.joined(separator: " and ")) as its id. Keep one of them.")
  }

  /// Two stored members must be two properties, of which none contains the other.
  private func requireDistinctProperties() {
    for (index, member) in stored.enumerated() {
      for first in stored[..<index] {
        if first.locator == member.locator {
          fatalError(
            """
            The shape of \(Value.self) lists the same property as “\(first.info.name)” and as “\(member.info.name)”. \
            Correct the key path of one of them.
            """)
        }
        if first.bytes.overlaps(member.bytes) {
          fatalError(
            """
            The shape of \(Value.self) lists “\(first.info.name)” and “\(member.info.name)”, of which one is a part of \
            the other. Remove one of them.
            """)
        }
      }
    }
  }

  /// The sources of a computed member must be members.
  private func requireSources() {
    for member in members {
      for source in member.info.sources ?? [] where !members.contains(where: { $0.locator == source }) {
        fatalError(
          """
          The computed member “\(member.info.name)” of \(Value.self) names the source \(source), which the shape \
          does not list. Add it to the shape, or name the members that it depends on.
          """)
      }
    }
  }

  /// The members must be in the order of the initializer's parameters. The compiler compares only their types.
  ///
  /// Each member gets another example while its siblings keep theirs. If only a sibling of the same type changes, the
  /// two are swapped. Members whose constraints reject the examples are not checked; `BindingLaws` finds them.
  private func requireOrder() {
    let candidates = members.indices.filter { index in
      let info = members[index].info
      let siblings = members.filter { !$0.info.isComputed && $0.valueType == members[index].valueType }
      return !info.isComputed && info.role != .hidden && siblings.count > 1
    }
    guard !candidates.isEmpty else { return }
    let examples = members.map { $0.info.isComputed || $0.info.role == .hidden ? [] : $0.info.type.examples }
    let text = "[" + examples.map { "[\($0.joined(separator: ","))]" }.joined(separator: ",") + "]"
    guard let document = try? JSONDocument(parsing: Array(text.utf8)) else { return }
    let nodes = document.root.elements.map { Array($0.elements) }
    var slots = MemberNodes(in: document, count: members.count)
    for index in members.indices { slots[index] = nodes[index].first }
    guard let base = value(of: slots) else { return }
    for index in candidates {
      var swapped: String?
      for node in nodes[index].dropFirst() {
        slots[index] = node
        let changed = value(of: slots)
        slots[index] = nodes[index].first
        guard let changed else { continue }
        swapped = nil
        if !members[index].areSame(base, changed) { break }
        swapped = candidates.first { other in
          members[other].valueType == members[index].valueType && !members[other].areSame(base, changed)
        }.map { members[$0].info.name }
      }
      guard let swapped else { continue }
      fatalError(
        """
        The shape of \(Value.self) lists “\(members[index].info.name)” where its initializer takes “\(swapped)”. List \
        the members in the order of the initializer's parameters.
        """)
    }
  }

  /// Returns a new value from the JSON of its members; nil if a constraint rejects it.
  private func value(of slots: borrowing MemberNodes) -> Value? {
    var decoding = Decoding(.creating)
    return try? make(slots, &decoding, nil)
  }
}

extension MemberTable {
  /// The type of the member's value and of the struct, for comparison with those of other members.
  fileprivate var valueType: ObjectIdentifier { ObjectIdentifier(type(of: typedMember)) }
}
