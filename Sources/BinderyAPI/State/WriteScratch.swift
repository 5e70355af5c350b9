import BinderyJSON

/// Buffers and templates that an event loop reuses for all writes, so that a typical write allocates memory only for
/// the new version of the state.
struct WriteScratch {
  var reader = JSONReader()
  /// The buffer for the JSON of the written value.
  var jsonBuffer: [UInt8] = []
  var templates = WriteResponseTemplates()

  /// Reuses the buffer of a response whose content has been written.
  mutating func reuse(_ content: consuming [UInt8]?) {
    if let content, content.count <= Self.maximumReusedBytes { jsonBuffer = content }
  }

  /// The maximum size of a reused buffer, because the buffer stays in memory.
  private static let maximumReusedBytes = 1_024
}
