import BinderyTestKit
import Foundation

/// Sends requests to a service with curl.
struct Curl {
  let address: String

  func callAsFunction(_ path: String, _ options: String...) async throws -> String {
    try await self(path, options)
  }

  func callAsFunction(_ path: String, _ options: [String]) async throws -> String {
    let output = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<String, any Error>) in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            try ChildProcess.run("curl", ["-sS", "http://\(address)\(path)"] + options).output
          })
      }
    }
    // JSON of the service ends in a newline.
    return output.hasSuffix("\n") && !output.hasSuffix(".\n") && !options.contains("-I")
      ? String(output.dropLast()) : output
  }
}
