import BinderyAPI
import BinderyCore
import BinderyHTTP

extension OpenAPIOperations {
  /// Returns all responses to a request for a place, sorted by status.
  mutating func responses(_ method: Method, _ place: OpenAPIPlace) -> OpenAPINode {
    var entries = errorStatuses(method, place).map { ($0, OpenAPINode.reference("responses", $0.component)) }
    switch method {
    case .get:
      entries.append((.ok, readResponse(place)))
    case .head:
      let name = place.route.isCollection ? OpenAPIComponents.listHead : OpenAPIComponents.head
      entries.append((.ok, .reference("responses", name)))
    case .patch, .put:
      let written = writeResponse(place.route.target, place)
      entries += [(.ok, written), (.noContent, .reference("responses", OpenAPIComponents.written))]
      if method == .put, place.canBeCreated { entries.append((.created, written)) }
    case .post:
      entries.append((.created, appendResponse(place)))
    case .delete:
      entries.append((.noContent, .reference("responses", OpenAPIComponents.removed)))
    case .options, .unknown:
      entries.append((.noContent, .reference("responses", OpenAPIComponents.options)))
    }
    let sorted = entries.sorted { $0.0.rawValue < $1.0.rawValue }
    return .object(sorted.map { .init(key: String($0.0.rawValue), value: $0.1) })
  }

  private func errorStatuses(_ method: Method, _ place: OpenAPIPlace) -> [HTTPStatus] {
    OpenAPIAuthentication.errorStatuses(method) + specificErrorStatuses(method, place)
  }

  private func specificErrorStatuses(_ method: Method, _ place: OpenAPIPlace) -> [HTTPStatus] {
    let isComputed = place.route.isComputed
    switch method {
    case .get, .head:
      // The `after` parameter of a page may name an element that does not exist.
      let canBeMissing = place.canBeAbsent || place.route.isCollection
      return [.notModified, .badRequest, .notAcceptable, .preconditionFailed, .serviceUnavailable]
        + (canBeMissing ? [.notFound] : [])
    case .patch, .put, .post:
      let canConflict = method != .post || isComputed || place.canBeAbsent
      return Self.writeErrors + [.contentTooLarge, .unsupportedMediaType] + (canConflict ? [.conflict] : [])
        + (place.hasIDs || place.route.target.hasEntries ? [.notFound] : [])
    case .delete:
      return Self.writeErrors + (isComputed ? [.conflict] : []) + (place.hasIDs ? [.notFound] : [])
    case .options, .unknown:
      return [.badRequest, .serviceUnavailable] + (place.hasIDs ? [.notFound] : [])
    }
  }

  /// The error statuses of every write.
  private static let writeErrors: [HTTPStatus] = [
    .badRequest, .preconditionFailed, .unprocessableContent, .serviceUnavailable, .insufficientStorage,
  ]

  private mutating func readResponse(_ place: OpenAPIPlace) -> OpenAPINode {
    let content = content(place.route.target, .read, place)
    let headers = ["ETag", "State-Revision"] + (place.route.isCollection ? ["Link"] : [])
    let response = OpenAPIComponents.response(
      "The value, or a stream of its changes.", headers, content, isWatchable: true)
    return content["schema"]?.referencedName.map { share("responses", $0 + "Read", response) } ?? response
  }

  private mutating func writeResponse(_ type: TypeInfo, _ place: OpenAPIPlace) -> OpenAPINode {
    let content = content(type, .read, place)
    let hasSetter = place.route.isComputed || type.hasComputed
    let headers = Self.writeHeaders + (hasSetter ? ["Write-Outcome"] : [])
    let response = OpenAPIComponents.response("The value after the write.", headers, content)
    let name = content["schema"]?.referencedName ?? place.hint
    return share("responses", name + (hasSetter ? "Set" : "Written"), response)
  }

  private mutating func appendResponse(_ place: OpenAPIPlace) -> OpenAPINode {
    guard case .elements(let element, _) = place.route.target.kind else { return [:] }
    let content: OpenAPINode = ["schema": schemas.schema(element, .read, hint: place.hint + "Item")]
    return OpenAPIComponents.response("The new element.", ["Location"] + Self.writeHeaders, content)
  }

  private static let writeHeaders = ["ETag", "State-Revision", "State-Changed", "Preference-Applied"]
}

extension TypeInfo {
  /// Indicates whether a write of the value may run the setter of a computed property.
  fileprivate var hasComputed: Bool {
    switch kind {
    case .scalar: false
    case .product(let product): product.members.contains { $0.role == .computed || $0.type.hasComputed }
    case .sum(let cases): cases.contains { $0.payload?.hasComputed ?? false }
    case .optional(let part), .elements(let part, _), .array(let part), .set(let part), .dictionary(let part, _):
      part.hasComputed
    }
  }

  /// Indicates whether a merge may name a dictionary entry that does not exist.
  fileprivate var hasEntries: Bool {
    switch kind {
    case .scalar, .elements, .array, .set: false
    case .product(let product): product.members.contains { $0.role != .hidden && $0.type.hasEntries }
    case .sum(let cases): cases.contains { $0.payload?.hasEntries ?? false }
    case .optional(let wrapped): wrapped.hasEntries
    case .dictionary: true
    }
  }
}

extension HTTPStatus {
  /// The name of the component for responses with this status.
  var component: String { reason.filter { $0 != " " } }
}
