import Synchronization

/// The results of the latest commits with idempotency keys, those of unpublished drafts included.
///
/// A result is added in the moment in which its draft becomes the head, and removed if the draft is discarded. A
/// request that is decided on a head therefore finds the results of all commits that led to it.
package final class KeyedResults: Sendable {
  fileprivate struct State {
    var results: [String: KeyedResult] = [:]
    /// The keys in the order of their commits. Those before `first` are removed.
    var order: [(key: String, revision: Int)] = []
    var first = 0
  }

  /// Guards the results; held only to add, find or remove them. The lock of the store may be held meanwhile.
  private let state: Mutex<State>

  /// - Parameter results: in the order of their commits.
  init(_ results: [KeyedResult]) {
    var state = State()
    for result in results { state.append(result) }
    self.state = Mutex(state)
  }

  /// Returns the result of a key, unless it is older than a day.
  package func find(_ key: String, now: Int64) -> KeyedResult? {
    state.withLock { state in state.results[key].flatMap { $0.isExpired(now) ? nil : $0 } }
  }

  /// The results in the order of their commits.
  package var all: [KeyedResult] {
    state.withLock { state in state.order[state.first...].compactMap { state.results[$0.key] } }
  }

  /// Adds the result of the newest commit.
  func append(_ result: KeyedResult) { state.withLock { $0.append(result) } }

  /// Removes the results of discarded drafts.
  func removeAll(after revision: Int) {
    state.withLock { state in
      while let last = state.order[state.first...].last, last.revision > revision {
        state.order.removeLast()
        state.results[last.key] = nil
      }
    }
  }
}

extension KeyedResult {
  fileprivate func isExpired(_ now: Int64) -> Bool { time < now - Self.lifetime }
}

extension KeyedResults.State {
  fileprivate mutating func append(_ result: KeyedResult) {
    // A server that loads the state again also loads results that it has. A second entry would remove the result when
    // the first one is removed.
    if let known = results[result.key], known.revision == result.revision, known.time == result.time { return }
    while first < order.count, order.count - first >= KeyedResult.maximumCount || isFirstExpired(result.time) {
      removeFirst()
    }
    // Removing each one at once would move all others.
    if first > order.count / 2 {
      order.removeFirst(first)
      first = 0
    }
    results[result.key] = result
    order.append((result.key, result.revision))
  }

  private func isFirstExpired(_ now: Int64) -> Bool { results[order[first].key]?.isExpired(now) ?? true }

  private mutating func removeFirst() {
    let (key, revision) = order[first]
    // After the clock was set back, a later commit may have the key of an expired result.
    if results[key]?.revision == revision { results[key] = nil }
    first += 1
  }
}
