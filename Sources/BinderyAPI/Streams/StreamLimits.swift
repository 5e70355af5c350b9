/// What the event streams of one loop may take.
package struct StreamLimits: Sendable {
  /// How often a stream is told that it still lives.
  package var heartbeatMilliseconds: Int64 = 15_000
  /// When a browser comes back after a cut: 2 s ± 20 %, so that not all come at once.
  package var retryMilliseconds = 1_600...2_400
  /// The same after overload or a shutdown.
  package var laterRetryMilliseconds = 5_000...15_000
  /// The most paths of one stream.
  package var paths = 64
  /// The most streams.
  package var streams = 100_000
  /// How long the value that a patch starts from is kept for a reader that has stalled.
  package var baseMilliseconds: Int64 = 10_000
  /// For how many such readers it is kept.
  package var bases = 1_024

  /// The most requests that wait for an answer, beyond which others are refused.
  package var unanswered = 10_000

  package init() {}
}
