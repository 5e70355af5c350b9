/// The decision of a middleware about a request.
public enum MiddlewareDecision: Sendable {
  /// Continue with the next middleware and the resource.
  ///
  /// - Parameter adding: Header fields to add to the response. Fields that the server writes itself are left out: see
  ///   ``EndpointResponse/fields``.
  case next(adding: [(name: String, value: String)] = [])
  /// Answer the request without the resource.
  case respond(EndpointResponse)
}

/// A function that each request passes after authentication and before its resource.
///
///     service.middleware.append { request in
///       guard request.field("X-Tenant") != nil else { return .respond(.text("Send X-Tenant.\n", status: 400)) }
///       return .next(adding: [("X-Served-By", "kitchen")])
///     }
///
/// It runs on the thread of an event loop, so it must not block.
public typealias Middleware = @Sendable (_ request: EndpointRequest) -> MiddlewareDecision
