/// One version of the state: immutable, shared by everyone who reads.
public final class Snapshot<Root: Sendable>: Sendable {
  /// How many commits have changed something, from 0.
  public let revision: Int
  public let root: Root
  /// All that the version before has otherwise, where that is one scalar and known.
  let change: ScalarChange?

  init(revision: Int, root: Root, change: ScalarChange? = nil) {
    self.revision = revision
    self.root = root
    self.change = change
  }

  /// The version that follows this one; not inlined, since here the type need not be looked up.
  ///
  /// - Parameter change: all that is different, where that is one scalar.
  @inline(never)
  package func next(_ root: consuming Root, change: ScalarChange? = nil) -> Snapshot {
    Snapshot(revision: revision + 1, root: root, change: change)
  }
}
