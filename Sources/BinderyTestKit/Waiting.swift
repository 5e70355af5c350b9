import BinderySystem

/// A condition was not true within two minutes.
public struct WaitTimeout: Error {}

/// Waits until a condition is true, by evaluating it repeatedly.
///
/// - Throws: ``WaitTimeout`` after two minutes, so that the test fails, or an error of the condition.
public func waitUntil(_ condition: () throws -> Bool) throws {
  let end = Clock.monotonicMilliseconds + 120_000
  while try !condition() {
    guard Clock.monotonicMilliseconds < end else { throw WaitTimeout() }
    Thread.yield()
  }
}
