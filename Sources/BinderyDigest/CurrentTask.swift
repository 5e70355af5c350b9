/// Returns a number that identifies the current task; nil outside of tasks.
///
/// The number is valid while the task runs. Task-local values alone cannot tell a task from one that it has created.
package func currentTaskIdentity() -> Int? {
  unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue }
}
