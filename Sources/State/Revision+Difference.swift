package import Shapes

extension Revision {
  /// What lies between two roots.
  ///
  /// - Complexity: that of what differs, and not of what is stored.
  package init<Root: Model>(number: Int, at: Int64, from old: Root, to new: Root) {
    var patch = Difference(.stored)
    Root.shape.difference(from: old, to: new, &patch)
    var undo = Difference(.stored)
    Root.shape.difference(from: new, to: old, &undo)
    var shown: Shown?
    if !patch.isAsShown || !undo.isAsShown {
      var shownPatch = Difference(.history)
      Root.shape.difference(from: old, to: new, &shownPatch)
      var shownUndo = Difference(.history)
      Root.shape.difference(from: new, to: old, &shownUndo)
      shown = Shown(patch: shownPatch.finish(), undo: shownUndo.finish())
    }
    self.init(number: number, at: at, patch: patch.finish(), undo: undo.finish(), shown: shown)
  }
}
