import BinderyDigest

/// Detects that the body of a commit commits to the store that it runs in, which would wait for itself.
@usableFromInline
package enum CommitScope {
  /// A body that is running.
  private struct Running: Sendable {
    let store: ObjectIdentifier
    /// The task that runs the body; nil outside of tasks. A task that the body creates inherits this value, but is
    /// another task.
    let task: Int?
  }

  private static let running = TaskLocal<Running?>(wrappedValue: nil)

  /// Runs the body of a commit.
  @usableFromInline
  package static func run(in store: AnyObject, _ body: () -> Void) {
    running.withValue(Running(store: ObjectIdentifier(store), task: currentTaskIdentity())) { body() }
  }

  /// Stops the process with an explanation if the caller is the body of a commit in this store.
  static func requireOutside(_ store: AnyObject) {
    guard let running = running.get(), running.store == ObjectIdentifier(store), running.task == currentTaskIdentity()
    else { return }
    fatalError(
      """
      The body of a commit committed to the same store. Change the draft that the body receives, or commit before or \
      after this commit.
      """)
  }
}
