import BinderyJSON

/// Buffers that an event loop reuses for all requests, so that a typical write allocates memory only for the new
/// version of the state.
struct Scratch {
  var reader = JSONReader()
  /// The buffer for the JSON of a response.
  var jsonBuffer: [UInt8] = []

  /// Reuses the buffer of a response whose content has been written.
  mutating func reuse(_ content: consuming [UInt8]?) {
    if let content, content.count <= Self.maximumReusedBytes { jsonBuffer = content }
  }

  /// The maximum size of a reused buffer in bytes.
  private static let maximumReusedBytes = 4_096
}
