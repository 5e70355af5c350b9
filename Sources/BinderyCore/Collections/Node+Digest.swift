public import BinderyDigest
public import Synchronization

@usableFromInline
enum DigestState: UInt8, AtomicRepresentable, Sendable {
  case empty, busy, ready
}

extension Node {
  /// The digest of the values below, remembered for the first key that asks.
  ///
  /// Threads that ask at once may each compute it; none waits.
  @inlinable
  func digest(_ key: DigestKey, _ element: (Value) -> Digest) -> SequenceDigest {
    if digestState.load(ordering: .acquiring) == .ready, let digest, digest.key == key.identity {
      return digest.value
    }
    var whole = SequenceDigest.empty
    for entry in entries {
      whole = whole.followed(by: SequenceDigest(element(entry.value), key: key))
    }
    for child in children {
      whole = whole.followed(by: child.node.digest(key, element))
    }
    if digestState.compareExchange(expected: .empty, desired: .busy, ordering: .relaxed).exchanged {
      digest = (key.identity, whole)
      digestState.store(.ready, ordering: .releasing)
    }
    return whole
  }
}
