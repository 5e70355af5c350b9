import BinderyHTTP

/// A request for a place of the state that was asked before.
struct KnownRequest {
  /// Of the head.
  fileprivate let number: UInt64
  let place: CachedRoute
  let request: StateRequest
}

/// The requests that a loop's clients repeat, each checked once. Confined to one loop.
final class KnownRequests {
  /// At the place of the head, which its number ends in.
  private var requests = [KnownRequest?](repeating: nil, count: KnownRequests.most)

  /// The request with a head, if it was asked before.
  func find(_ head: borrowing RequestHead) -> KnownRequest? {
    guard let known = requests[Self.index(head)], known.number == head.number else { return nil }
    return known
  }

  /// Remembers a request, where its head is known again.
  func remember(_ request: StateRequest, at place: CachedRoute, _ head: borrowing RequestHead) {
    if head.number == 0 { return }
    // Taken out meanwhile: were the property changed in place, each look at it would be checked for exclusive access.
    var requests: [KnownRequest?] = []
    swap(&requests, &self.requests)
    requests[Self.index(head)] = KnownRequest(number: head.number, place: place, request: request)
    swap(&requests, &self.requests)
  }

  private static let most = 128

  private static func index(_ head: borrowing RequestHead) -> Int { Int(truncatingIfNeeded: head.number) & (most - 1) }
}
