import BinderyHTTP

/// A checked request whose head is in the cache of request heads.
struct CachedRequest {
  /// The id of the cached head.
  fileprivate let headID: UInt64
  let route: CachedRoute
  let request: StateRequest
}

/// A cache of checked requests, by the id of their cached head, so that a repeated request is not checked again.
/// Confined to one event loop.
final class RequestCache {
  /// The cached requests. The index is the slot of the head, which is the low part of its id.
  private var requests = [CachedRequest?](repeating: nil, count: RequestCache.capacity)

  /// Returns the cached request with this head.
  func find(_ head: borrowing RequestHead) -> CachedRequest? {
    guard let cached = requests[Self.index(head)], cached.headID == head.cacheID else { return nil }
    return cached
  }

  /// Adds a request to the cache if its head is cached.
  func insert(_ request: StateRequest, for route: CachedRoute, _ head: borrowing RequestHead) {
    if head.cacheID == 0 { return }
    // Moved into a local variable during the change: modifying the property in place would add an exclusivity check to
    // every lookup.
    var requests: [CachedRequest?] = []
    swap(&requests, &self.requests)
    requests[Self.index(head)] = CachedRequest(headID: head.cacheID, route: route, request: request)
    swap(&requests, &self.requests)
  }

  /// Equal to `RequestHeadCache.maximumCapacity`, so that the index of a request is the slot of its head.
  private static let capacity = 128

  private static func index(_ head: borrowing RequestHead) -> Int {
    Int(truncatingIfNeeded: head.cacheID) & (capacity - 1)
  }
}
