import Synchronization

extension Store {
  /// Returns the values at a place as an asynchronous sequence: the current value, then each different value.
  ///
  /// Values are not buffered: a slow consumer receives the newest value and skips intermediate ones, and it never
  /// receives the same value twice in a row. An absent place is an element, too. The sequence ends when the task is
  /// cancelled, and when the service of the store has stopped.
  public func values<Value>(at place: StatePlace<Root, Value>) -> StateValues<Root, Value> {
    StateValues(store: self, place: place)
  }
}

/// An asynchronous sequence of the values at a place, created by ``Store/values(at:)``.
public struct StateValues<Root: Sendable, Value: Sendable>: AsyncSequence, Sendable {
  /// The value, or the reason why the place does not exist.
  public typealias Element = Result<Value, Absence>
  /// Iteration does not fail: an absent place is an element.
  public typealias Failure = Never

  let store: Store<Root>
  let place: StatePlace<Root, Value>

  /// Returns an iterator that begins with the current value.
  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, place: place, signal: ChangeSignal(store))
  }

  /// Waits for values that differ from the previous one.
  public struct Iterator: AsyncIteratorProtocol {
    let store: Store<Root>
    let place: StatePlace<Root, Value>
    let signal: ChangeSignal
    /// The revision that was read last; -1 before the first one.
    fileprivate var lastRevision = -1
    /// The element that was returned last.
    fileprivate var last: Element?

    /// Returns the next value; nil if the task is cancelled or the service of the store has stopped.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
      while !Task.isCancelled {
        let snapshot = store.snapshot
        if snapshot.revision != lastRevision {
          lastRevision = snapshot.revision
          let value = Result { () throws(Absence) in try place.access.get(snapshot.root) }
          if !isLast(value) {
            last = value
            return value
          }
        }
        if store.isClosed { return nil }
        await signal.wait()
      }
      return nil
    }

    private func isLast(_ value: Element) -> Bool {
      switch (last, value) {
      case (.success(let old)?, .success(let new)): place.shape.areSame(old, new)
      case (.failure?, .failure): true
      default: false
      }
    }
  }
}

/// A signal for one waiting task that a store's observer sends. Several signals before a wait count as one.
final class ChangeSignal: Sendable {
  private enum State {
    case idle
    /// A signal was sent that no task has received yet.
    case signaled
    case waiting(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.idle)
  private let stop: @Sendable (ObserverID) -> Void
  private let observer = Mutex<ObserverID?>(nil)

  init<Root>(_ store: Store<Root>) {
    stop = { [weak store] in store?.removeObserver($0) }
    let id = store.observe { [weak self] in self?.send() }
    observer.withLock { $0 = id }
  }

  deinit {
    if let id = observer.withLock({ $0 }) { stop(id) }
  }

  private func send() {
    let continuation: CheckedContinuation<Void, Never>? = state.withLock { state in
      if case .waiting(let continuation) = state {
        state = .idle
        return continuation
      }
      state = .signaled
      return nil
    }
    // Resumed outside the lock, because the task may call `wait` again immediately.
    continuation?.resume()
  }

  /// Waits for a signal sent since the last wait, or for the cancellation of the task.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSignaled = state.withLock { state -> Bool in
          if case .signaled = state {
            state = .idle
            return true
          }
          state = .waiting(continuation)
          return false
        }
        if isSignaled { continuation.resume() }
      }
    } onCancel: {
      send()
    }
  }
}
