/// One version of the state: immutable, shared by everyone who reads.
public final class Snapshot<Root: Sendable>: Sendable {
  /// How many commits have changed something, from 0.
  public let revision: Int
  public let root: Root

  init(revision: Int, root: Root) {
    self.revision = revision
    self.root = root
  }

  /// The version that follows this one; not inlined, since here the type need not be looked up.
  @inline(never)
  package func next(_ root: consuming Root) -> Snapshot { Snapshot(revision: revision + 1, root: root) }
}
