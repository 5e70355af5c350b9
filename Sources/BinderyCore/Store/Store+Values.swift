import Synchronization

extension Store {
  /// The values at a place as they come to be: the one there now, then each that differs from the one given last.
  ///
  /// There is no queue: who asks late gets the newest value, and never the same one twice in a row. Absence is a
  /// value too. Ends when the task is cancelled.
  public func values<Value>(at place: Place<Root, Value>) -> Values<Root, Value> { Values(store: self, place: place) }
}

/// The values at a place, newest first come; made by ``Store/values(at:)``.
public struct Values<Root: Model, Value: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Result<Value, Absence>
  public typealias Failure = Never

  let store: Store<Root>
  let place: Place<Root, Value>

  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, place: place, signal: ChangeSignal(store))
  }

  public struct Iterator: AsyncIteratorProtocol {
    let store: Store<Root>
    let place: Place<Root, Value>
    let signal: ChangeSignal
    private var seen = -1
    private var last: Element?

    init(store: Store<Root>, place: Place<Root, Value>, signal: ChangeSignal) {
      self.store = store
      self.place = place
      self.signal = signal
    }

    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
      while !Task.isCancelled {
        let snapshot = store.snapshot
        if snapshot.revision != seen {
          seen = snapshot.revision
          let value = Result { () throws(Absence) in try place.access.get(snapshot.root) }
          if !isLast(value) {
            last = value
            return value
          }
        }
        await signal.rung()
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

/// Remembers one ring, however many there were, for one who waits.
final class ChangeSignal: Sendable {
  private enum State {
    case silent
    case rung
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.silent)
  private let stop: @Sendable (ObserverID) -> Void
  private let observer = Mutex<ObserverID?>(nil)

  init<Root>(_ store: Store<Root>) {
    stop = { [weak store] in store?.removeObserver($0) }
    let id = store.observe { [weak self] in self?.ring() }
    observer.withLock { $0 = id }
  }

  deinit {
    if let id = observer.withLock({ $0 }) { stop(id) }
  }

  private func ring() {
    let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
      if case .awaited(let waiter) = state {
        state = .silent
        return waiter
      }
      state = .rung
      return nil
    }
    waiter?.resume()
  }

  /// Waits for a ring since the last time, or for the task's end.
  func rung() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isRung = state.withLock { state -> Bool in
          if case .rung = state {
            state = .silent
            return true
          }
          state = .awaited(continuation)
          return false
        }
        if isRung { continuation.resume() }
      }
    } onCancel: {
      ring()
    }
  }
}
