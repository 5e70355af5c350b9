import BinderySystem

/// A thread that commits the numbers from 1 to `count`.
struct Committer {
  private let thread: Thread

  init(_ count: Int, _ commit: @escaping @Sendable (Int) -> Void) throws {
    thread = try Thread {
      for number in 1...count {
        commit(number)
        if number.isMultiple(of: 16) { Thread.yield() }
      }
    }
  }

  func join() { thread.join() }
}
