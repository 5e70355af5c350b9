/// One version of the state: immutable, and shared by all readers.
public final class Snapshot<Root: Sendable>: Sendable {
  /// The number of commits that changed the state, starting at 0.
  public let revision: Int
  /// The value of the state.
  public let root: Root

  init(revision: Int, root: Root) {
    self.revision = revision
    self.root = root
  }

  /// Returns the next version.
  ///
  /// Not inlined: a caller outside this class would look up the metadata of the generic type in each commit.
  @inline(never)
  package func next(_ root: consuming Root) -> Snapshot { Snapshot(revision: revision + 1, root: root) }
}
