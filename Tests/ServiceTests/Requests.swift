import BinderyService
import BinderySystem
import BinderyTestKit

extension Service {
  /// Sends requests from a thread of its own, because clients block, and the service needs a thread of the pool to
  /// start.
  func requests<Result: Sendable>(_ body: @escaping @Sendable (SocketClient) throws -> Result) async throws -> Result {
    let address = addresses[0]
    return try await withCheckedThrowingContinuation { continuation in
      do {
        try Thread.detach { continuation.resume(with: Swift.Result { try body(SocketClient(address)) }) }
      } catch { continuation.resume(throwing: error) }
    }
  }
}
