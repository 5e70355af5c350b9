/// The outcome of a write. The setter of a computed member, and the model itself, may keep another value.
///
/// Outcomes are ordered from best to worst: `max` combines the outcomes of several writes.
public enum WriteOutcome: Sendable, Comparable {
  /// The place has the value that was written.
  case applied
  /// The place changed to another value.
  case adjusted
  /// The place did not change.
  case dropped
}
