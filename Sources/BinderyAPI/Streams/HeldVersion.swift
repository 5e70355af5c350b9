/// The version of the state that a long response or a long event shows, and keeps in memory.
struct HeldVersion {
  let revision: Int
  /// When it began, on the event loop's clock.
  let since: Int64
}
