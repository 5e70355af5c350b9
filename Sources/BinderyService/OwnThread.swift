import BinderySystem

/// Runs blocking work on a thread of its own, so that it blocks neither the caller's actor nor a thread of the pool.
func onOwnThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async throws(Errno) -> Result {
  let result: Swift.Result<Result, Errno> = await withCheckedContinuation { continuation in
    do throws(Errno) {
      try Thread.detach { continuation.resume(returning: .success(work())) }
    } catch { continuation.resume(returning: .failure(error)) }
  }
  return try result.get()
}
