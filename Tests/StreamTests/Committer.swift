import BinderySystem
import Synchronization

/// A thread that commits the numbers from 1 on until it is told to end.
final class Committer: Sendable {
  private let thread: Thread
  private let state: State

  private final class State: Sendable {
    let hasToEnd = Atomic(false)
    let last = Atomic(0)
  }

  init(_ commit: @escaping @Sendable (Int) -> Void) throws {
    let state = State()
    thread = try Thread {
      var number = 0
      repeat {
        number += 1
        commit(number)
        if number.isMultiple(of: 16) { Thread.yield() }
      } while !state.hasToEnd.load(ordering: .relaxed)
      state.last.store(number, ordering: .relaxed)
    }
    self.state = state
  }

  /// Ends the thread, and returns the last number that it has committed.
  func end() -> Int {
    state.hasToEnd.store(true, ordering: .relaxed)
    thread.join()
    return state.last.load(ordering: .relaxed)
  }
}
