extension Revision {
  /// What lies between a version and the one that follows it.
  ///
  /// - Parameter at: when it is kept, in milliseconds since 1970.
  /// - Complexity: that of what differs, and not of what is stored.
  package init<Root: Model>(at: Int64, from old: Snapshot<Root>, to new: Snapshot<Root>) {
    guard let change = new.change else {
      self.init(number: new.revision, at: at, from: old.root, to: new.root)
      return
    }
    self.init(number: new.revision, at: at, .scalar(change))
  }

  /// What lies between two roots.
  ///
  /// - Complexity: that of what differs, and not of what is stored.
  package init<Root: Model>(number: Int, at: Int64, from old: Root, to new: Root) {
    let kept = Self.ways(from: old, to: new, .stored)
    var shown: Shown?
    if !kept.isAsShown {
      let ways = Self.ways(from: old, to: new, .history)
      shown = Shown(patch: ways.patch, undo: ways.undo)
    }
    self.init(number: number, at: at, patch: kept.patch, undo: kept.undo, shown: shown)
  }

  private static func ways<Root: Model>(
    from old: Root, to new: Root, _ scope: PatchBuilder.Scope
  ) -> (patch: [UInt8], undo: [UInt8], isAsShown: Bool) {
    var difference = PatchBuilder(scope, withWayBack: true)
    Root.shape.difference(from: old, to: new, &difference)
    return (difference.finish(), difference.finishBack() ?? [], difference.isAsShown)
  }
}
