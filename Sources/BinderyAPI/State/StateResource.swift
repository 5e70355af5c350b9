package import BinderyCore
package import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// The state behind `/state`: every place a URL, every URL a binding.
package final class StateResource<Root: Model>: Sendable {
  package let store: Store<Root>
  package let key: DigestKey
  let root = Route.root(Root.shape.type)
  private let slashedPrefix = Array("/\(StateResource.prefix)".utf8)

  package init(_ store: Store<Root>, key: DigestKey) {
    self.store = store
    self.key = key
  }

  /// The segment before the path of the state.
  static var prefix: String { "state" }
}

/// A request for a place of the state whose head has been checked; one that is repeated is the same.
final class StateRequest: Sendable {
  let method: Method
  let address: ResolvedPath
  let query: Query
  let conditions: Conditions
  let preferences: Preferences
  let mediaType: MediaType?
  let isPretty: Bool
  /// Events are wanted instead of an answer.
  let wantsEvents: Bool
  /// Nothing is asked for but the value, so that the answer is the one that others before it were given.
  let isPlain: Bool

  init(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ address: ResolvedPath, _ query: Query,
    _ mediaType: MediaType?,
    wantsEvents: Bool
  ) throws(Problem) {
    method = head.method
    self.address = address
    self.query = query
    conditions = Conditions(head, bytes)
    preferences = Preferences(head, bytes)
    self.mediaType = mediaType
    isPretty = query.isEmpty ? false : try query.flag("pretty")
    self.wantsEvents = wantsEvents
    isPlain = (method == .get || method == .head) && query.isEmpty && conditions.isEmpty && !wantsEvents
  }

  var segments: [String] { address.segments }
  var route: Route { address.route }
  var path: String { address.path }
}

extension StateResource {
  /// The place that a path names which needs no decoding; nil for what must be looked at more closely.
  func resolve(plain path: Span<UInt8>) -> ResolvedPath? {
    let prefix = slashedPrefix
    // A path so short has not too many segments.
    guard path.count >= prefix.count, path.count <= 2 * RequestTarget.maximumSegments, RequestTarget.isPlain(path)
    else { return nil }
    for index in prefix.indices where path[index] != prefix[index] { return nil }
    return root.resolving(plain: path.extracting(droppingFirst: prefix.count)).map {
      ResolvedPath(plain: path.slice(0..<path.count), route: $0, storedPath: storedPath($0))
    }
  }

  /// The place that a path names.
  func resolve(_ target: RequestTarget) throws(Problem) -> ResolvedPath {
    let segments = Array(target.segments.dropFirst())
    guard let route = root.resolving(segments, form: .url) else {
      throw Problem(.unknownPath, "The types of the state have no place “\(Pointer.text(segments))”.")
    }
    return ResolvedPath(segments: segments, route: route, storedPath: storedPath(route))
  }

  /// How a journal calls the place, where there is one.
  private func storedPath(_ route: Route) -> [UInt8]? {
    store.isKept && route.target.isScalar ? route.storedPath(from: root.target) : nil
  }

  /// Checks what needs no more than the head: method and media types.
  func check(
    _ address: ResolvedPath, _ query: Query, _ head: borrowing RequestHead, _ bytes: Span<UInt8>
  ) throws(Problem) -> StateRequest {
    let allowed = address.allowed
    guard allowed.contains(head.method) else {
      throw Problem(.methodNotAllowed, "\(head.method.name) is not allowed here.").with {
        $0.allow = allowed.field
      }
    }
    var mediaType: MediaType?
    var wantsEvents = false
    switch head.method {
    case .get, .head:
      guard let form = Form(head, bytes) else {
        throw Problem(.notAcceptable, "The place has the forms application/json and text/event-stream.")
      }
      wantsEvents = form == .events
      // Whatever is said of a stream must make sense, even where the answer is none.
      if !query.isEmpty { _ = try (query.form, query.every) }
    case .patch, .put, .post:
      try MediaType.mustNotBeEncoded(head, bytes)
      mediaType = MediaType(head, bytes)
      guard mediaType != nil else {
        throw Problem(.unsupportedMediaType, "The body's media type is not one that \(head.method.name) takes here.")
          .with {
            $0.acceptPatch = allowed.acceptPatch
            $0.acceptPost = allowed.acceptPost
          }
      }
    case .delete, .options, .unknown: break
    }
    return try StateRequest(head, bytes, address, query, mediaType, wantsEvents: wantsEvents)
  }

  func options(_ request: StateRequest) -> Response {
    let allowed = request.address.allowed
    var response = Response(.noContent)
    response.say(.allow, allowed.field)
    response.say(.acceptPatch, allowed.acceptPatch)
    response.say(.acceptPost, allowed.acceptPost)
    return response
  }
}
