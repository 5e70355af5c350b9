import BinderySystem

/// A condition did not hold within two minutes.
public struct NeverHeld: Error {}

/// Waits until a condition holds, by evaluating it again and again.
///
/// - Throws: ``NeverHeld`` after two minutes, so that a test fails instead of waiting forever, or an error of the
///   condition.
public func waitUntil(_ condition: () throws -> Bool) throws {
  let end = Clock.monotonicMilliseconds + 120_000
  while try !condition() {
    guard Clock.monotonicMilliseconds < end else { throw NeverHeld() }
    Thread.yield()
  }
}
