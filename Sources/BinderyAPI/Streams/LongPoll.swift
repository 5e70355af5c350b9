import BinderyCore

/// A `GET` with `?wait=` that waits until its place differs from the request's condition.
final class LongPoll {
  /// The reason why a long poll is over.
  enum End<Root: Sendable> {
    /// The credential is no longer valid.
    case revoked(Revocation)
    /// The place differs, the time is over, or the server is stopping. A newer version may have the old value again, so
    /// the response must be read from this version; nil for the current one.
    case over(Snapshot<Root>?)
  }

  let request: StateRequest
  let place: WatchedPlace
  /// The time of the response if nothing changes, on the event loop's clock in milliseconds.
  let deadline: Int64
  let deadlineTick: Int64
  /// The credential of the client.
  let principal: Principal
  /// The reason why the credential is no longer valid; nil while it is valid.
  var revocation: Revocation?

  init(
    _ request: StateRequest, _ place: WatchedPlace, deadline: Int64, tick deadlineTick: Int64, _ principal: Principal
  ) {
    self.request = request
    self.place = place
    self.deadline = deadline
    self.deadlineTick = deadlineTick
    self.principal = principal
  }
}
