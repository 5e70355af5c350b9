/// One version of the state: immutable, and shared by all readers.
public final class Snapshot<Root: Sendable>: Sendable {
  /// The number of commits that changed the state, starting at 0.
  public let revision: Int
  /// The value of the state.
  public let root: Root
  /// The only difference from the previous version, if it is one scalar and known.
  let change: ScalarChange?

  init(revision: Int, root: Root, change: ScalarChange? = nil) {
    self.revision = revision
    self.root = root
    self.change = change
  }

  /// Returns the next version.
  ///
  /// Not inlined: a caller outside this class would look up the metadata of the generic type in each commit.
  ///
  /// - Parameter change: the only difference from this version, if it is one scalar.
  @inline(never)
  package func next(_ root: consuming Root, change: ScalarChange? = nil) -> Snapshot {
    Snapshot(revision: revision + 1, root: root, change: change)
  }
}
