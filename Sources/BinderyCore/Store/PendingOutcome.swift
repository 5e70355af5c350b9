import Synchronization

/// The outcome of a commit that a task waits for.
@usableFromInline
final class PendingOutcome: Sendable {
  @usableFromInline typealias Outcome = Result<Void, JournalFailure>

  private enum State {
    case pending
    case awaited(CheckedContinuation<Outcome, Never>)
    case final(Outcome)
  }

  private let state = Mutex(State.pending)

  @usableFromInline
  init() {}

  /// Reports the outcome. Called once.
  @usableFromInline
  func finish(_ outcome: Outcome) {
    let waiting = state.withLock { state in
      defer { state = .final(outcome) }
      if case .awaited(let continuation) = state { return continuation as CheckedContinuation? }
      return nil
    }
    waiting?.resume(returning: outcome)
  }

  /// The outcome, once it is reported. Read by one task.
  @usableFromInline nonisolated(nonsending) var value: Outcome {
    get async {
      await withCheckedContinuation { continuation in
        let final: Outcome? = state.withLock { state in
          if case .final(let outcome) = state { return outcome }
          state = .awaited(continuation)
          return nil
        }
        if let final { continuation.resume(returning: final) }
      }
    }
  }
}
