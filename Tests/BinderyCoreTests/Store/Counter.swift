import BinderyCore
import FoundationEssentials
import Synchronization

struct Counter: StateModel, Equatable {
  var count = 0
  var name: String?
  var items: Identified<Item> = []

  static let shape = EditableShape<Counter>.members(
    Counter.init, StoredMember("count", \.count, .atMost(1_000_000)), StoredMember("name", \.name),
    StoredMember("items", \.items))

  mutating func settle(from base: Counter) throws(InvalidState) {
    if count == 13 { throw InvalidState("thirteen is not allowed", at: "/count") }
    if count < 0 { count = 0 }
  }
}

struct Item: Editable, Identifiable, Equatable {
  let id: Int
  var text: String

  static let shape = EditableShape<Item>.members(Item.init, StoredMember("id", id: \.id), StoredMember("text", \.text))
}

/// A journal that stores nothing by itself: the test takes and finishes each batch.
final class ManualJournal: Journal {
  private let wakeCount = Mutex(0)
  private let waiter = Mutex<(count: Int, continuation: CheckedContinuation<Void, Never>)?>(nil)

  func wake() {
    let count = wakeCount.withLock { count in
      count += 1
      return count
    }
    let ready = waiter.withLock { waiter -> CheckedContinuation<Void, Never>? in
      guard let waiting = waiter, count >= waiting.count else { return nil }
      waiter = nil
      return waiting.continuation
    }
    ready?.resume()
  }

  /// Waits until the store has woken the journal this many times in total.
  func waitForWakes(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = waiter.withLock { waiter -> Bool in
        if wakeCount.withLock({ $0 }) >= count { return true }
        waiter = (count, continuation)
        return false
      }
      if isReached { continuation.resume() }
    }
  }
}
