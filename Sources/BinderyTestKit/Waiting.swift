import BinderySystem

/// A condition was not true in time.
public struct WaitTimeout: Error {}

/// Waits until a condition is true.
///
/// The condition is evaluated once per millisecond: waiting takes no processor time from what the test waits for.
///
/// - Parameter seconds: How long to wait; nil, without end, for what a task of the test does. Tasks of all tests share
///   few threads, and this one may get its turn after minutes.
/// - Throws: ``WaitTimeout`` if that time has passed, so that the test fails, or an error of the condition.
public func waitUntil(seconds: Int? = 120, _ condition: () throws -> Bool) throws {
  let end = seconds.map { Clock.monotonicMilliseconds + Int64($0) * 1_000 }
  while try !condition() {
    if let end, Clock.monotonicMilliseconds >= end { throw WaitTimeout() }
    Thread.sleep(milliseconds: 1)
  }
}

/// Waits without end until a condition is true, on a thread of its own: other tests run meanwhile.
public func waitUntil(_ condition: @escaping @Sendable () throws -> Bool) async throws {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try Thread.detach { continuation.resume(with: Result { try waitUntil(seconds: nil, condition) }) }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}
