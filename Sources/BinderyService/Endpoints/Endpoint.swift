public import BinderyCore

/// An endpoint of your program, at a path outside the state.
///
///     service.endpoints.append(
///       Endpoint(.post, "/add/{step}") { request, store in
///         guard let step = Int(request.parameters["step"] ?? "") else { return .text("not a number\n", status: 422) }
///         let result = try await store.edit(CounterState.places.count) { $0 &+= step }
///         return .text("revision \(result.revision)\n")
///       })
///
/// A segment in braces matches any segment; a literal segment takes precedence. Paths of the service itself, such as
/// `/state`, cannot be used, and no segment in braces matches them. Endpoints take precedence over files. The service
/// answers `HEAD`, `OPTIONS` and methods without an endpoint by itself.
public struct Endpoint<Root: Sendable>: Sendable {
  let method: EndpointMethod
  let path: String
  let access: EndpointAccess
  let respond: @Sendable (EndpointRequest, Store<Root>) async throws -> EndpointResponse

  /// Creates an endpoint.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path after the base path, such as `/hello/{name}`.
  ///   - access: The clients that may send a request.
  ///   - respond: Returns the response. It runs on the concurrency pool, and is cancelled if the connection breaks, and
  ///     for `GET` also if the client closes it. For an error of the library that it throws, such as ``CommitError`` or
  ///     ``Absence``, the client gets a problem like those of the state, and for an ``EndpointError`` its response.
  ///     Another error is logged, and the client gets status 500.
  public init(
    _ method: EndpointMethod, _ path: String, access: EndpointAccess = .token,
    respond: @escaping @Sendable (_ request: EndpointRequest, _ store: Store<Root>) async throws -> EndpointResponse
  ) {
    self.method = method
    self.path = path
    self.access = access
    self.respond = respond
  }

  /// Creates an endpoint that does not use the state.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path after the base path, such as `/hello/{name}`.
  ///   - access: The clients that may send a request.
  ///   - respond: Returns the response.
  public init(
    _ method: EndpointMethod, _ path: String, access: EndpointAccess = .token,
    respond: @escaping @Sendable (_ request: EndpointRequest) async throws -> EndpointResponse
  ) {
    self.init(method, path, access: access) { request, _ in try await respond(request) }
  }

  /// Returns the response to a request, for tests.
  ///
  /// - Throws: The error of the endpoint. A service responds to it with a problem.
  public func respond(to request: EndpointRequest, _ store: Store<Root>) async throws -> EndpointResponse {
    try await respond(request, store)
  }
}
