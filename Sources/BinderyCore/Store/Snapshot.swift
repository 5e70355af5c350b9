/// One version of the state: immutable, and shared by all readers.
public final class Snapshot<Root: Sendable>: Sendable {
  /// The number of commits that changed the state, starting at 0.
  public let revision: Int
  /// The value of the state.
  public let root: Root
  /// The metadata of the commit in the history: its author and idempotency key.
  let metadata: CommitMetadata

  init(revision: Int, root: Root, metadata: CommitMetadata = .inProcess) {
    self.revision = revision
    self.root = root
    self.metadata = metadata
  }

  /// Returns the next version.
  ///
  /// Not inlined: a caller outside this class would look up the metadata of the generic type in each commit.
  ///
  /// - Parameter metadata: what the history stores in addition to the changes.
  @inline(never) @usableFromInline
  package func next(_ root: consuming Root, metadata: CommitMetadata = .inProcess) -> Snapshot {
    Snapshot(revision: revision + 1, root: root, metadata: metadata)
  }

  /// Returns the value at a place.
  ///
  /// Not inlined: where this version is not a parameter, the compiler would copy the root, which retains its parts.
  ///
  /// - Throws: ``Absence`` if the place does not exist.
  @inline(never) @inlinable
  func read<Value>(_ place: StatePlace<Root, Value>) throws(Absence) -> Value { try place.access.get(root) }

  /// Returns the same version with other metadata.
  package func with(_ metadata: CommitMetadata) -> Snapshot {
    Snapshot(revision: revision, root: root, metadata: metadata)
  }
}
