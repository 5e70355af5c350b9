/// Returns a number that identifies the current task; 0 outside of tasks.
///
/// The number is valid while the task runs.
package func currentTaskIdentity() -> UInt {
  unsafe withUnsafeCurrentTask { task in unsafe task.map { unsafe unsafeBitCast($0, to: UInt.self) } ?? 0 }
}
