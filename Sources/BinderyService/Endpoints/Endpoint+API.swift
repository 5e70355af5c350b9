package import BinderyAPI
package import BinderyCore
import BinderyHTTP
package import BinderyTelemetry

extension Endpoint {
  /// Returns the endpoints as the resources of a service.
  ///
  /// - Throws: ``ServiceError/invalidEndpoint(_:)`` for a path that is malformed, that belongs to the service itself,
  ///   or that two endpoints with the same method have.
  package static func resources(
    of endpoints: [Endpoint], _ store: Store<Root>, _ logger: Logger
  ) throws(ServiceError) -> [ProgramEndpoint] {
    var resources: [ProgramEndpoint] = []
    for endpoint in endpoints {
      let resource = try endpoint.resource(store, logger)
      for other in resources where other.hasSamePaths(as: resource) {
        guard other.method != resource.method else {
          throw .invalidEndpoint("two endpoints answer \(endpoint.method.rawValue) \(endpoint.path)")
        }
        guard other.segments == resource.segments else {
          throw .invalidEndpoint(
            "“\(endpoint.path)” cannot be the path of an endpoint: another one has \(other.template), so use its names")
        }
      }
      resources.append(resource)
    }
    return resources
  }

  private func resource(_ store: Store<Root>, _ logger: Logger) throws(ServiceError) -> ProgramEndpoint {
    guard path.hasPrefix("/"), path.count > 1, !path.contains("?"), !path.contains("#"),
      let target = try? RequestTarget(path: Array(path.utf8)[...]), !target.isFolder
    else { throw .invalidEndpoint("“\(path)” is not a path: expected a path such as /hello or /hello/{name}") }
    if let first = target.segments.first, ServicePath.firstSegments.contains(first) {
      throw .invalidEndpoint("“\(path)” cannot be the path of an endpoint: /\(first) belongs to the service")
    }
    let segments = try segments(of: target)
    return ProgramEndpoint(method.method, segments, isPublic: access == .everyone) { [method, respond, path] request in
      do {
        do { return .success(try Response(await respond(EndpointRequest(request), store))) } catch {
          guard let error = error as? any EndpointError else { throw error }
          return .success(try Response(error.response))
        }
      } catch {
        let problem =
          Problem(endpointError: error, isRead: method == .get)
          ?? Problem(.internalError, "The endpoint failed: see the log of the server.")
        // A client that closes its connection causes no error.
        if problem.status.rawValue >= 500, !Task.isCancelled {
          logger.log(.error, "the endpoint \(path) failed", .text("error", "\(error)"))
        }
        return .failure(problem)
      }
    }
  }

  /// Returns the segments of the path. A placeholder is a whole segment, and has a name of its own.
  private func segments(of target: RequestTarget) throws(ServiceError) -> [ProgramEndpoint.Segment] {
    var segments: [ProgramEndpoint.Segment] = []
    for text in target.segments {
      guard text.contains("{") || text.contains("}") else {
        segments.append(.literal(text))
        continue
      }
      let name = text.dropFirst().dropLast()
      guard text == "{\(name)}", !name.isEmpty, !name.contains("{"), !name.contains("}") else {
        throw .invalidEndpoint(
          "“\(path)” cannot be the path of an endpoint: expected a name in braces, such as {name}, got “\(text)”")
      }
      guard !segments.contains(.parameter(String(name))) else {
        throw .invalidEndpoint("“\(path)” cannot be the path of an endpoint: it has two placeholders \(text)")
      }
      segments.append(.parameter(String(name)))
    }
    return segments
  }
}

extension ProgramEndpoint {
  /// Returns whether both match the same paths, whatever the names of their placeholders.
  fileprivate func hasSamePaths(as other: ProgramEndpoint) -> Bool {
    segments.count == other.segments.count
      && zip(segments, other.segments).allSatisfy { segment, other in
        if case (.parameter, .parameter) = (segment, other) { true } else { segment == other }
      }
  }
}

extension EndpointMethod {
  fileprivate var method: BinderyHTTP.Method {
    switch self {
    case .get: .get
    case .post: .post
    case .put: .put
    case .patch: .patch
    case .delete: .delete
    }
  }
}

extension EndpointRequest {
  init(_ request: ProgramRequest) {
    self.init(
      method: request.method.name, path: request.path, query: request.query, parameters: request.parameters,
      fields: request.fields, body: request.body, author: request.author)
  }
}

/// An endpoint returned a status code that the service does not know.
private struct UnknownStatus: Error, CustomStringConvertible {
  let code: Int
  var description: String { "the status \(code) is not one that a service can send" }
}

extension Response {
  /// - Throws: An error for a status that the service does not know.
  init(_ response: EndpointResponse) throws {
    guard let code = UInt16(exactly: response.status), let status = HTTPStatus(rawValue: code) else {
      throw UnknownStatus(code: response.status)
    }
    let content = status.allowsContent ? Content.bytes(response.body, mediaType: response.mediaType) : .none
    self.init(status, content, custom: response.fields)
  }
}

/// Returns a middleware as the service calls it.
package func resource(of middleware: @escaping Middleware, _ logger: Logger) -> ProgramMiddleware {
  { request in
    switch middleware(EndpointRequest(request)) {
    case .next(let fields): return .next(adding: fields)
    case .respond(let response):
      do { return .respond(.success(try Response(response))) } catch {
        logger.log(.error, "a middleware failed", .text("error", "\(error)"))
        return .respond(
          .failure(Problem(.internalError, "A middleware failed: see the log of the server.")))
      }
    }
  }
}
