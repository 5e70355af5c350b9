package import BinderyCore
package import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// The resource tree below `/state`: every path of the state is a URL.
package final class StateResource<Root: Sendable>: Sendable {
  package let store: Store<Root>
  /// The model of the store, kept here because every request needs it.
  let model: ModelDefinition<Root>
  package let key: DigestKey
  /// Returns the processor time of the calling thread, in nanoseconds.
  let processorTime: @Sendable () -> Int64
  /// The base path of the service.
  package let basePath: BasePath
  let root: Route
  private let slashedPrefix = Array("/\(StateResource.prefix)".utf8)

  /// Creates the resource tree of a store.
  ///
  /// - Parameters:
  ///   - key: The key of the digests in entity tags.
  ///   - basePath: The base path of the service.
  ///   - processorTime: Returns the processor time of the calling thread, in nanoseconds.
  package init(
    _ store: Store<Root>, key: DigestKey, basePath: BasePath = .root,
    processorTime: @escaping @Sendable () -> Int64
  ) {
    self.store = store
    self.key = key
    self.basePath = basePath
    model = store.model
    root = Route.root(model.shape.type)
    self.processorTime = processorTime
  }

  /// The first segment of every path of the state.
  static var prefix: String { "state" }

  /// The path of the state in messages.
  var prefixInMessages: String { basePath.text + "/" + Self.prefix }

  /// Returns the percent-encoded path of the URL of a place, with the base path.
  func urlPath(_ segments: [String]) -> String { basePath.text + RequestTarget.path([Self.prefix] + segments) }
}

// MARK: Resolving paths

extension StateResource {
  /// Resolves a path as it was sent, if it contains nothing to decode.
  ///
  /// - Parameter templates: The template of the whole state, with those of other requests.
  /// - Returns: nil if the path needs ``resolve(_:_:)``, which also reports what is wrong with it.
  func resolve(plain path: Span<UInt8>, _ templates: RouteTemplate) -> (template: RouteTemplate, route: Route)? {
    let prefix = slashedPrefix
    // A path of at most this many bytes cannot have more segments than allowed.
    guard path.count >= prefix.count, path.count <= 2 * RequestTarget.maximumSegments else { return nil }
    for index in prefix.indices where path[index] != prefix[index] { return nil }
    var keys = RouteKeys()
    let template = templates.resolve(plain: path.extracting(droppingFirst: prefix.count), &keys)
    return template.map { ($0, $0.route(with: keys)) }
  }

  /// Resolves the decoded segments after `/state`.
  ///
  /// - Throws: `unknown-path` if the types of the state do not define the path.
  func resolve(
    _ segments: [String], _ templates: RouteTemplate
  ) throws(Problem) -> (template: RouteTemplate, route: Route) {
    var keys = RouteKeys()
    var template = templates
    for segment in segments {
      guard let next = template.appending(segment.utf8Span.span, &keys) else {
        throw .unknownPath(segments, below: root, form: .url, prefix: prefixInMessages)
      }
      template = next
    }
    return (template, template.route(with: keys))
  }
}

extension Problem {
  /// Returns the problem for a path that the types of the state do not define.
  ///
  /// - Parameters:
  ///   - base: The route that the segments are relative to.
  ///   - prefix: The path before them, for the message.
  static func unknownPath(
    _ segments: [String], below base: Route, form: AddressForm, prefix: String = ""
  ) -> Problem {
    let explanation = PathGuide(base: base, form: form, prefix: prefix).explain(segments)
    let problem = Problem(.unknownPath, explanation?.detail ?? "There is no path “\(Pointer.text(segments))”.")
    return problem.with { $0.expected = explanation?.expected }
  }
}

// MARK: Checking a request

extension Query {
  /// Returns the names of the parameters that a request to a path of the state accepts.
  static func parameters(of method: Method, _ route: Route) -> [String] {
    switch method {
    case .get, .head:
      ["pretty", "wait", "as", "ids"] + streamParameters + (route.isCollection ? ["limit", "after", "before"] : [])
        + (route.steps.isEmpty ? ["stored"] : [])
    case .patch, .put, .post: ["pretty"]
    case .delete, .options, .unknown: []
    }
  }
}

extension StateResource {
  /// Checks everything about a request that does not depend on the content of its body, in the order in which errors
  /// are reported: the method, the media types, the size of the body, the query and the header fields.
  ///
  /// - Throws: `method-not-allowed`, `not-acceptable`, `unsupported-media-type`, `content-too-large`, `malformed-query`
  ///   or `malformed-header`.
  func check(
    _ path: ResolvedPath, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ body: RequestBody
  ) throws(Problem) -> StateRequest {
    let allowed = path.template.allowed
    guard allowed.contains(head.method) else { throw .methodNotAllowed(head.method, allowed) }
    var mediaType: MediaType?
    var wantsEvents = false
    switch head.method {
    case .get, .head:
      guard let format = ResponseFormat.preferred(head, bytes) else {
        throw Problem(
          .notAcceptable,
          "The Accept header excludes the available media types: application/json and text/event-stream.")
      }
      wantsEvents = format == .events
    case .patch, .put, .post:
      try MediaType.rejectContentEncoding(head, bytes)
      mediaType = MediaType.ofBody(head, bytes)
      if mediaType == nil { throw .unsupportedMediaType(head, bytes, allowed) }
    case .delete, .options, .unknown: break
    }
    if body == .tooLarge { throw .bodyTooLarge }
    if head.method == .put, head.contains(.contentRange) {
      // A part of a value would replace all of it (RFC 9110 §14.5).
      throw Problem(.malformedHeader, "Content-Range is not supported: send the whole value without it.")
    }
    let isPlainWrite = !head.method.isSafe && head.isPlain
    if isPlainWrite, let known = path.plainWrite(head.method, mediaType) { return known }
    let request = try StateRequest(head, bytes, path, mediaType, wantsEvents: wantsEvents)
    if isPlainWrite { path.keep(plainWrite: request) }
    return request
  }

  /// Returns the response to `OPTIONS`.
  func options(_ request: StateRequest) -> Response {
    let allowed = request.allowedMethods
    var response = Response(.noContent)
    response.addField(.allow, allowed.field)
    response.addField(.acceptPatch, allowed.acceptPatch)
    response.addField(.acceptPost, allowed.acceptPost)
    return response
  }
}

extension RequestHead {
  /// Whether a request for a path of the state consists of its method, path and body: it has no query,
  /// conditions, preferences and idempotency key.
  var isPlain: Bool {
    query == nil && !contains(.ifNoneMatch) && !contains(.ifMatch) && !contains(.prefer) && !contains(.idempotencyKey)
  }
}

/// A request for a path of the state whose method and header fields have been checked.
///
/// It contains nothing that depends on the current value.
final class StateRequest {
  let method: Method
  /// The path of a request that reads, which may know the digest of the value. A write has none, because the path keeps
  /// the last plain write, and each would keep the other in memory.
  let readPath: ResolvedPath?
  let template: RouteTemplate
  let route: Route
  let query: Query
  let conditions: Conditions
  let preferences: Preferences
  /// The idempotency key of a write; nil if it has none.
  let idempotencyKey: IdempotencyKey?
  let mediaType: MediaType?
  let isPretty: Bool
  /// Whether the response leaves computed members out.
  let isStoredOnly: Bool
  /// Whether the client wants an event stream.
  let wantsEvents: Bool

  init(
    _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ path: ResolvedPath, _ mediaType: MediaType?,
    wantsEvents: Bool
  ) throws(Problem) {
    let method = head.method
    self.method = method
    readPath = method.isSafe ? path : nil
    template = path.template
    route = path.route
    query = try Query(head, bytes, accepting: Query.parameters(of: method, route))
    conditions = try Conditions(head, bytes)
    preferences = Preferences(head, bytes)
    idempotencyKey = method.isSafe ? nil : try IdempotencyKey(head, bytes)
    self.mediaType = mediaType
    isPretty = query.isEmpty ? false : try query.flag("pretty")
    isStoredOnly = query.isEmpty ? false : try query.flag("stored")
    // Invalid stream parameters are reported even if the response is no stream.
    if !query.isEmpty { _ = try (query.form, query.minimumInterval) }
    self.wantsEvents = wantsEvents
  }

  /// The methods that the path allows.
  var allowedMethods: AllowedMethods { template.allowed }

  /// The decoded segments after `/state`, with ids in their canonical form. Computed on each access, because few
  /// responses contain them.
  var segments: [String] { template.segments(of: route) }
}

/// The preferences of a request: the field `Prefer` (RFC 7240).
struct Preferences: Sendable {
  /// `return=minimal`: the response to a write has no content.
  var isMinimal = false
  /// `handling=strict`: a write whose value a setter ignores or changes is rejected.
  var isStrict = false
  /// `read=newest`: the response shows everything that any server had committed before the request.
  var readsNewest = false

  init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
    guard head.contains(.prefer) else { return }
    // If a preference is repeated, the first one counts (RFC 7240 §2).
    var seen: Set<String> = []
    head.forEach(.prefer) { range in
      for item in bytes.lowercaseASCII(range)[...].splitOutsideQuotes(",", maximumCount: 100) {
        // No parameter, which follows after a semicolon, is known.
        let preference = item.splitOutsideQuotes(";", maximumCount: 1).first ?? ""
        let parts = preference.splitOutsideQuotes("=", maximumCount: 2).map { $0.trimmed.filter { $0 != "\"" } }
        guard let name = parts.first, seen.insert(name).inserted else { continue }
        switch parts.joined(separator: "=") {
        case "return=minimal": isMinimal = true
        case "handling=strict": isStrict = true
        case "read=newest": readsNewest = true
        default: continue
        }
      }
    }
  }

  /// The value of `Preference-Applied` in the response to a write, or nil if no preference applies.
  var applied: String? {
    switch (isMinimal, isStrict) {
    case (true, true): "return=minimal, handling=strict"
    case (true, false): "return=minimal"
    case (false, true): "handling=strict"
    case (false, false): nil
    }
  }
}
