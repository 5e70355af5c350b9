/// The entry points for fuzzers.
///
/// Each target accepts arbitrary bytes, checks invariants, and keeps no state between calls. The raw value names the
/// folder of its corpus in `Fuzz/Corpus`.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// HTTP requests, split into chunks of different sizes.
  case messages
  /// A chunked body after a well-formed header section.
  case chunks
  /// A JSON text.
  case json
  /// JSON for the types of the menu.
  case model
  /// A path and query, and a JSON Pointer.
  case paths
  /// The header field lines of a request: conditions, preferences, content negotiation.
  case fields
  /// A JSON Patch.
  case patches
  /// Requests in a simplified notation that survives mutations, converted to HTTP/1.1 by ``RequestScript``.
  case requests
  /// The bytes of a connection to a service of the menu, from request to response.
  case exchange

  /// Runs the target with an input.
  ///
  /// - Throws: ``Finding`` if an invariant is violated.
  public func run(_ input: [UInt8]) throws(Finding) {
    switch self {
    case .messages: try MessageTarget.run(input)
    case .chunks: try ChunkTarget.run(input)
    case .json: try JSONTarget.run(input)
    case .model: try ModelTarget.run(input)
    case .paths: try PathTarget.run(input)
    case .fields: try FieldTarget.run(input)
    case .patches: try PatchTarget.run(input)
    case .requests: try ExchangeTarget.run(RequestScript(input).bytes)
    case .exchange: try ExchangeTarget.run(input)
    }
  }
}
