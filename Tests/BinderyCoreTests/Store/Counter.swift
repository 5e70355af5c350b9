import BinderyCore
import FoundationEssentials
import Synchronization

struct Counter: Model, Equatable {
  var count = 0
  var name: String?
  var items: Identified<Item> = []

  static let shape = Shape<Counter>.members(
    Counter.init, Member("count", \.count, .atMost(1_000_000)), Member("name", \.name), Member("items", \.items))

  mutating func settle(from base: Counter) throws(InvalidState) {
    if count == 13 { throw InvalidState("thirteen is not allowed", at: "/count") }
    if count < 0 { count = 0 }
  }
}

struct Item: Bindable, Identifiable, Equatable {
  let id: Int
  var text: String

  static let shape = Shape<Item>.members(Item.init, Member("id", id: \.id), Member("text", \.text))
}

/// A journal that keeps nothing until it is told to.
final class HeldJournal: Journal {
  let nudges = Mutex(0)
  private let waiter = Mutex<(count: Int, continuation: CheckedContinuation<Void, Never>)?>(nil)

  func nudge() {
    let count = nudges.withLock { nudges in
      nudges += 1
      return nudges
    }
    let ready = waiter.withLock { waiter -> CheckedContinuation<Void, Never>? in
      guard let waiting = waiter, count >= waiting.count else { return nil }
      waiter = nil
      return waiting.continuation
    }
    ready?.resume()
  }

  /// Waits until so many drafts have gathered since the beginning.
  func nudged(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = waiter.withLock { waiter -> Bool in
        if nudges.withLock({ $0 }) >= count { return true }
        waiter = (count, continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
