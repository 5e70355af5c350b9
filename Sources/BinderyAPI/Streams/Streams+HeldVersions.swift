import BinderyHTTP

/// Versions of the state that clients keep in memory because they read slowly.
extension Streams {
  /// Records that the current version is kept for a client that reads.
  func holdVersion() -> HeldVersion {
    startHeartbeats()
    return HeldVersion(revision: watches.newestRevision, since: context.nowMilliseconds)
  }

  /// Ends the oldest long responses and events if too many replaced versions have been kept for a long time.
  ///
  /// Without this limit, each write of a large array adds a copy of the array to memory while a client still reads the
  /// previous version. The client of a response sees that it is incomplete. The client of a stream reconnects.
  /// Encoding the rest at once would need as much memory, and a limit of the duration would end every slow download.
  func releaseOldVersions() {
    let newest = watches.newestRevision
    var old: [Int: [ExchangeID]] = [:]
    for (exchange, state) in exchanges.entries() {
      guard let version = state.heldVersion, version.revision != newest,
        context.nowMilliseconds - version.since >= limits.heldVersionMilliseconds
      else { continue }
      old[version.revision, default: []].append(exchange)
    }
    for revision in old.keys.sorted().dropLast(limits.maximumHeldVersions) {
      for exchange in old[revision] ?? [] { context.abort(exchange) }
    }
  }
}

extension OpenExchange.State {
  /// The version of the state that the exchange keeps in memory; nil if it keeps none.
  fileprivate var heldVersion: HeldVersion? {
    switch self {
    case .longResponse(let response): response.heldVersion
    case .completed(let completion, _): completion.heldVersion
    case .stream(let stream): stream.outgoing == nil ? nil : stream.heldVersion
    default: nil
    }
  }
}
