import BinderyJSON

extension MemberTable {
  /// Creates the table of a computed member with a getter and a setter.
  @inlinable @inline(__always)
  convenience init<Value: Sendable>(
    computed info: MemberInfo, _ path: MemberPath<Root, Value>, _ shape: EditableShape<Value>,
    _ filling: ComputedMember<Root>.Filling
  ) {
    let editsOnly = if filling == .editsOnly, case .optional = shape.type.kind { true } else { false }
    let (get, assign) = (path.get, path.set)
    self.init(
      info, path, shape, apply: MemberTable.writing(path, shape, editsOnly: editsOnly),
      set: { root, before, edit throws(EditError) in
        edit.editsOnly = editsOnly
        defer { edit.editsOnly = false }
        let before = try edit.running(at: edit.path) { get(before) }
        if MemberTable.leavesUnchanged(before, shape, edit) { return false }
        let original = try edit.running(at: edit.path) { get(root) }
        var requested = original
        try shape.edit(&requested, &edit)
        assign?(&root, requested)
        let result = try edit.running(at: edit.path) { get(root) }
        if let node = edit.node, !shape.areSame(result, requested) {
          // A later member or operation of the request may still lead to the requested value.
          let outcome: WriteOutcome = shape.areSame(result, original) ? .dropped : .adjusted
          edit.deviations.append(Deviation(node: node, isMerged: !edit.isReplacing, outcome: outcome))
        }
        return true
      })
  }

  /// Returns whether an edit would leave the value unchanged.
  @inlinable
  static func leavesUnchanged<Value>(_ value: Value, _ shape: EditableShape<Value>, _ edit: Edit) -> Bool {
    // In a merge, `null` can remove the entry of a dictionary that the same `null` describes: the result decides.
    let isEcho = { edit.node.map { shape.isEcho($0, of: value) } ?? false }
    if edit.isReplacing, isEcho() { return true }
    var trial = value
    var edit = edit
    let echoes = edit.echoes.count
    guard (try? shape.edit(&trial, &edit)) != nil else { return isEcho() }
    return edit.echoes.count == echoes && shape.areSame(trial, value)
  }
}
