import Synchronization

/// A name in JSON with its digest, which is cached for the first key that is used with it.
@usableFromInline
package final class NameDigest: @unchecked Sendable {
  /// The name as a string in canonical JSON, with its quotes.
  private let json: [UInt8]
  /// Guards `digest`: the thread that changes the state from empty to busy writes it, and readers use it only in the
  /// state ready.
  private let state = Atomic<State>(.empty)
  private var digest: (key: UInt64, value: Digest) = (0, Digest(high: 0, low: 0))

  private enum State: UInt8, AtomicRepresentable {
    case empty, busy, ready
  }

  /// Creates the cache.
  ///
  /// - Parameter json: the name as a string in canonical JSON, with its quotes.
  @usableFromInline
  package init(_ json: [UInt8]) { self.json = json }

  /// Returns the digest of the name.
  ///
  /// Threads that call this at the same time may each compute the digest; no thread waits for another.
  @usableFromInline
  package func digest(_ key: DigestKey) -> Digest {
    if state.load(ordering: .acquiring) == .ready, digest.key == key.identity { return digest.value }
    let json = json
    let result = key.leaf(json.span)
    if state.compareExchange(expected: .empty, desired: .busy, ordering: .relaxed).exchanged {
      digest = (key.identity, result)
      state.store(.ready, ordering: .releasing)
    }
    return result
  }
}
