import BinderyJSON

/// Buffers that an event loop reuses for all requests, so that a typical write allocates memory only for the new
/// version of the state.
struct Scratch {
  var reader = JSONReader()
  /// The buffer for the JSON of a response.
  var jsonBuffer: [UInt8] = []

  /// The maximum size of a reused buffer in bytes.
  static var maximumReusedBytes: Int { 4_096 }
}
