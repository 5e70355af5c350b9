public import BinderyJSON

/// Whole states of which all mistakes are reported.
extension StructShape {
  /// Decodes a value from the storage format or from a state file.
  ///
  /// - Throws: ``ValidationError`` if there is no value; all errors are in the report.
  @usableFromInline
  func decode(
    _ node: JSONNode, _ decoding: inout Decoding, _ report: ValidationReport
  ) throws(ValidationError) -> Value {
    let slots = try storedSlots(of: node, report)
    for index in members.indices where members[index].info.role == .hidden {
      if slots[index] == nil { report.lacksHidden = true } else { report.hasHidden = true }
    }
    var value = try make(slots, &decoding, nil)
    try free?.decode(try freeParts(of: node), into: &value)
    for index in computed {
      let member = members[index]
      guard let slot = slots[index], !(report.lacksHidden && dependsOnHidden(member)) else { continue }
      var comparison = Comparison(omitting: .computed)
      if !member.matches(value, slot, &comparison) { report.record(difference(of: member, slot, in: value)) }
    }
    return value
  }

  /// Returns whether a computed member may depend on hidden members. Without them, its value in the file is unknown.
  private func dependsOnHidden(_ member: MemberTable<Value>) -> Bool {
    stored.contains { source in
      (source.info.role == .hidden || source.info.type.hasHidden)
        && member.info.sources?.contains(source.locator) ?? true
    }
  }

  /// Returns the error for a computed member that has another value than the stored members give.
  private func difference(of member: MemberTable<Value>, _ slot: JSONNode, in value: Value) -> ValidationError {
    var writer = JSONWriter()
    member.encode(value, &writer)
    let document = try? JSONDocument(parsing: writer.bytes, maximumDepth: StoredPatch.maximumDepth)
    let difference = document?.root.firstDifference(from: slot)
    func excerpt(_ node: JSONNode?) -> String { node?.excerpt(maximum: 60) ?? "nothing" }
    return ValidationError(
      .readOnlyMember,
      "the file says \(excerpt(difference?.other)), but the other members give \(excerpt(difference?.own)); "
        + "correct one of them, or leave out “\(member.info.name)”, which is computed"
    ).under([member.info.name] + (difference?.path ?? []))
  }
}

extension JSONNode {
  /// Returns the first place at which this value differs from another one; an absent part is nil.
  fileprivate func firstDifference(
    from other: JSONNode
  ) -> (path: [String], own: JSONNode?, other: JSONNode?) {
    for (name, part, otherPart) in parts(with: other) {
      guard let part, let otherPart else { return ([name], part, otherPart) }
      if part.equals(otherPart) { continue }
      let inner = part.firstDifference(from: otherPart)
      return ([name] + inner.path, inner.own, inner.other)
    }
    return ([], self, other)
  }

  /// Returns the parts of this value and of another one, those that both have first.
  private func parts(with other: JSONNode) -> [(name: String, own: JSONNode?, other: JSONNode?)] {
    switch (kind, other.kind) {
    case (.array, .array):
      let (own, others) = (Array(elements), Array(other.elements))
      return (0..<max(own.count, others.count)).map { index in
        (String(index), index < own.count ? own[index] : nil, index < others.count ? others[index] : nil)
      }
    case (.object, .object):
      let (own, others) = (namedMembers, other.namedMembers)
      let ownParts = Dictionary(own) { first, _ in first }
      let otherParts = Dictionary(others) { first, _ in first }
      let common = own.filter { otherParts[$0.0] != nil }.map { ($0, JSONNode?.some($1), otherParts[$0]) }
      let added = others.filter { ownParts[$0.0] == nil }.map { ($0, JSONNode?.none, JSONNode?.some($1)) }
      let missing = own.filter { otherParts[$0.0] == nil }.map { ($0, JSONNode?.some($1), JSONNode?.none) }
      return common + added + missing
    default: return []
    }
  }

  private var namedMembers: [(String, JSONNode)] { members.map { ($0.key.string ?? "", $0.value) } }
}
