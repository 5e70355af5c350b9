import BinderyCore
package import BinderyHTTP

/// An endpoint of the program, at a path outside the state.
package struct ProgramEndpoint: Sendable {
  /// A segment of the path.
  package enum Segment: Sendable, Equatable {
    case literal(String)
    /// Any segment, which the request has as a parameter.
    case parameter(String)

    var isLiteral: Bool { if case .literal = self { true } else { false } }
  }

  package let method: Method
  package let segments: [Segment]
  /// Whether the endpoint needs no token.
  package let isPublic: Bool
  /// Returns the response, or the problem. Cancelled if the client disconnects.
  package let respond: @Sendable (ProgramRequest) async -> Result<Response, Problem>

  package init(
    _ method: Method, _ segments: [Segment], isPublic: Bool,
    respond: @escaping @Sendable (ProgramRequest) async -> Result<Response, Problem>
  ) {
    self.method = method
    self.segments = segments
    self.isPublic = isPublic
    self.respond = respond
  }

  /// The path with placeholders, such as `/hello/{name}`.
  package var template: String {
    segments.map {
      switch $0 {
      case .literal(let text): "/" + text
      case .parameter(let name): "/{\(name)}"
      }
    }.joined()
  }

  /// Returns whether a path matches.
  func matches(_ path: [String]) -> Bool {
    path.count == segments.count
      && zip(segments, path).allSatisfy { segment, text in
        if case .literal(let literal) = segment { literal.isSame(as: text) } else { true }
      }
  }

  /// Returns the parameters in a path that matches.
  func parameters(in path: [String]) -> [String: String] {
    var parameters: [String: String] = [:]
    for case (.parameter(let name), let text) in zip(segments, path) { parameters[name] = text }
    return parameters
  }
}

/// The endpoints of the program. Shared by all event loops.
struct ProgramEndpoints: Sendable {
  /// In the order of their precedence.
  private let endpoints: [ProgramEndpoint]

  init(_ endpoints: [ProgramEndpoint]) {
    self.endpoints = endpoints.sorted { a, b in
      a.segments.lexicographicallyPrecedes(b.segments) { $0.isLiteral && !$1.isLiteral }
    }
  }

  var isEmpty: Bool { endpoints.isEmpty }

  /// Returns the endpoints at a path, one for each method. A literal segment takes precedence over a placeholder.
  func find(_ path: [String]) -> [ProgramEndpoint] {
    var found: [ProgramEndpoint] = []
    for endpoint in endpoints where endpoint.matches(path) && !found.contains(where: { $0.method == endpoint.method }) {
      found.append(endpoint)
    }
    return found
  }
}

extension [ProgramEndpoint] {
  /// Returns the endpoint that responds to a method. HEAD is GET without content (RFC 9110 §9.3.2), which the writer
  /// leaves out.
  func responding(to method: Method) -> ProgramEndpoint? {
    let sought = method == .head ? .get : method
    return first { $0.method == sought }
  }
}
