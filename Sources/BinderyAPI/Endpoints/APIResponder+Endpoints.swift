import BinderyCore
import BinderyHTTP

/// Endpoints and middleware of the program.
extension APIResponder {
  /// Passes a request through the middleware of the program, unless its head has passed it and the body has arrived
  /// now.
  ///
  /// - Parameter awaiting: The exchange since its head has passed; nil if it has not.
  /// - Returns: The response of a middleware, or nil to continue.
  func passMiddleware(
    _ head: borrowing RequestHead, _ path: Range<Int>, _ bytes: Span<UInt8>, _ awaiting: OpenExchange?,
    _ output: inout ResponseWriter
  ) -> Response? {
    if let awaiting {
      output.setCommonFields(awaiting.fields)
      return nil
    }
    let request = ProgramRequest(head, path, bytes, author: authenticator.commitMetadata(of: caller).author)
    var added: [Response.CustomField] = []
    for middleware in api.middleware {
      switch middleware(request) {
      case .next(let fields): added += fields
      case .respond(let result):
        addCommonFields(added, &output)
        return switch result {
        case .success(let response): response
        case .failure(let problem): problem.response(api.basePath)
        }
      }
    }
    addCommonFields(added, &output)
    return nil
  }

  /// Adds header fields to all responses to the current request. ``Authenticator/setFields(of:for:_:)`` removes them
  /// before the next one.
  private func addCommonFields(_ fields: [Response.CustomField], _ output: inout ResponseWriter) {
    guard !fields.isEmpty else { return }
    let common = output.commonFields
    output.setCommonFields(
      FieldLines { lines in
        lines.append(common)
        for (name, value) in fields { lines.field(custom: name, value) }
      })
  }

  /// Responds to a request for an endpoint of the program.
  ///
  /// - Parameter endpoints: The endpoints at the path, one for each method.
  func endpoint(
    _ endpoints: [ProgramEndpoint], _ target: RequestTarget, _ head: borrowing RequestHead, _ path: Range<Int>,
    _ bytes: Span<UInt8>, _ body: RequestBody, _ exchange: ExchangeID
  ) throws(Problem) -> Reply {
    outcome.route = metrics.route(endpoints[0].template)
    let allowed = AllowedMethods(endpoints.map(\.method))
    if let response = try optionsResponse(head.method, allowed) { return .response(response) }
    guard let endpoint = endpoints.responding(to: head.method) else { throw .methodNotAllowed(head.method, allowed) }
    outcome.route = metrics.route(endpoint.template)
    guard let content = try bodyRange(body) else { return .needsBody }
    try checkCapacity(for: .endpoint)
    var request = ProgramRequest(head, path, bytes, author: authenticator.commitMetadata(of: caller).author)
    request.parameters = endpoint.parameters(in: target.segments)
    request.body = bytes.slice(content)
    let complete = responseHandler(for: exchange)
    let task = Task { [request] in complete(await endpoint.respond(request)) }
    return .later(.awaitingEndpoint(task, isRead: head.method.isSafe))
  }
}
