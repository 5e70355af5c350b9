import BinderyAPI
import BinderyCore
import BinderyHTTP

extension OpenAPIOperations {
  /// All answers to a request for a place, by status.
  mutating func responses(_ method: Method, _ place: OpenAPIPlace) -> OpenAPINode {
    var answers = refusals(method, place).map { ($0, OpenAPINode.reference("responses", $0.component)) }
    switch method {
    case .get:
      answers.append((.ok, value(place)))
    case .head:
      let name = place.route.isCollection ? OpenAPIComponents.listHead : OpenAPIComponents.head
      answers.append((.ok, .reference("responses", name)))
    case .patch, .put:
      let written = written(place.route.target, place)
      answers += [(.ok, written), (.noContent, .reference("responses", OpenAPIComponents.written))]
      if method == .put, place.canBeMade { answers.append((.created, written)) }
    case .post:
      answers.append((.created, added(place)))
    case .delete:
      answers.append((.noContent, .reference("responses", OpenAPIComponents.removed)))
    case .options, .unknown:
      answers.append((.noContent, .reference("responses", OpenAPIComponents.options)))
    }
    let sorted = answers.sorted { $0.0.rawValue < $1.0.rawValue }
    return .object(sorted.map { .init(key: String($0.0.rawValue), value: $0.1) })
  }

  private func refusals(_ method: Method, _ place: OpenAPIPlace) -> [HTTPStatus] {
    OpenAPIAccess.refusals(method) + ownRefusals(method, place)
  }

  private func ownRefusals(_ method: Method, _ place: OpenAPIPlace) -> [HTTPStatus] {
    let isComputed = place.route.isComputed
    switch method {
    case .get, .head:
      // A page may be asked to begin after an element that is not there.
      let isAbsentable = place.canBeAbsent || place.route.isCollection
      return [.notModified, .badRequest, .notAcceptable, .preconditionFailed, .serviceUnavailable]
        + (isAbsentable ? [.notFound] : [])
    case .patch, .put, .post:
      let isConflicting = method != .post || isComputed || place.canBeAbsent
      return Self.writing + [.contentTooLarge, .unsupportedMediaType] + (isConflicting ? [.conflict] : [])
        + (place.hasIDs || place.route.target.hasEntries ? [.notFound] : [])
    case .delete:
      return Self.writing + (isComputed ? [.conflict] : []) + (place.hasIDs ? [.notFound] : [])
    case .options, .unknown:
      return [.badRequest, .serviceUnavailable] + (place.hasIDs ? [.notFound] : [])
    }
  }

  /// With what every write may be refused.
  private static let writing: [HTTPStatus] = [
    .badRequest, .preconditionFailed, .unprocessableContent, .serviceUnavailable, .insufficientStorage,
  ]

  private mutating func value(_ place: OpenAPIPlace) -> OpenAPINode {
    let content = content(place.route.target, .read, place)
    let headers = ["ETag", "State-Revision"] + (place.route.isCollection ? ["Link"] : [])
    let response = OpenAPIComponents.response("The value, or its stream.", headers, content, isWatchable: true)
    return content["schema"]?.referredName.map { share("responses", $0 + "Read", response) } ?? response
  }

  private mutating func written(_ type: TypeInfo, _ place: OpenAPIPlace) -> OpenAPINode {
    let content = content(type, .read, place)
    let hasSetter = place.route.isComputed || type.hasComputed
    let headers = Self.writeHeaders + (hasSetter ? ["Write-Outcome"] : [])
    let response = OpenAPIComponents.response("The value as it is now.", headers, content)
    let name = content["schema"]?.referredName ?? place.hint
    return share("responses", name + (hasSetter ? "Set" : "Written"), response)
  }

  private mutating func added(_ place: OpenAPIPlace) -> OpenAPINode {
    guard case .elements(let element, _) = place.route.target.kind else { return [:] }
    let content: OpenAPINode = ["schema": schemas.schema(element, .read, hint: place.hint + "Item")]
    return OpenAPIComponents.response("The new element.", ["Location"] + Self.writeHeaders, content)
  }

  private static let writeHeaders = ["ETag", "State-Revision", "State-Changed", "Preference-Applied"]
}

extension TypeInfo {
  /// A write of the value may run a setter.
  fileprivate var hasComputed: Bool {
    switch kind {
    case .scalar: false
    case .product(let product): product.members.contains { $0.role == .computed || $0.type.hasComputed }
    case .sum(let cases): cases.contains { $0.payload?.hasComputed ?? false }
    case .optional(let part), .elements(let part, _), .array(let part), .dictionary(let part, _): part.hasComputed
    }
  }

  /// A merge may name an entry that is not there.
  fileprivate var hasEntries: Bool {
    switch kind {
    case .scalar, .elements, .array: false
    case .product(let product): product.members.contains { $0.role != .hidden && $0.type.hasEntries }
    case .sum(let cases): cases.contains { $0.payload?.hasEntries ?? false }
    case .optional(let wrapped): wrapped.hasEntries
    case .dictionary: true
    }
  }
}

extension HTTPStatus {
  /// The name of the component that describes answers with this status.
  var component: String { reason.filter { $0 != " " } }
}
