import HTTP
import Shapes

/// The operations of the places of the state.
struct OpenAPIOperations {
  private var schemas: OpenAPISchemas
  private var ids: Set<String> = []

  init(_ schemas: OpenAPISchemas) { self.schemas = schemas }

  /// `components/schemas`, of all that has been described.
  var allSchemas: OpenAPINode { schemas.all }

  mutating func path(_ place: OpenAPIPlace) -> OpenAPINode {
    var entries: [OpenAPINode.Entry] = []
    if !place.parameters.isEmpty {
      let parameters = place.parameters.map { parameter in
        let schema = schemas.schema(parameter.type, .read, hint: parameter.name.capitalizedFirst)
        return [
          "name": .text(parameter.name), "in": "path", "required": true, "schema": schema,
          "example": parameter.example,
        ] as OpenAPINode
      }
      entries.append(.init(key: "parameters", value: .list(parameters)))
    }
    for method in Allowed(place.route).methods {
      entries.append(.init(key: method.name.lowercased(), value: operation(method, place)))
    }
    return .object(entries)
  }

  private mutating func operation(_ method: Method, _ place: OpenAPIPlace) -> OpenAPINode {
    [
      "operationId": .text(id(method, place)),
      "summary": .text(summary(method, place)),
      "tags": [.text(place.tag)],
      "parameters": parameters(method, place),
      "requestBody": body(method, place),
      "responses": responses(method, place),
    ]
  }

  private mutating func id(_ method: Method, _ place: OpenAPIPlace) -> String {
    let verb = method == .post ? "addTo" : method.name.lowercased()
    let base = verb + place.words.joined().filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    var id = base
    var number = 2
    while !ids.insert(id).inserted {
      id = base + "\(number)"
      number += 1
    }
    return id
  }

  private func summary(_ method: Method, _ place: OpenAPIPlace) -> String {
    switch method {
    case .get: "Read \(place.noun)"
    case .head: "Read the header fields of \(place.noun)"
    case .patch: "Change \(place.noun)"
    case .put where place.canBeMade: "Replace \(place.noun), or make it"
    case .put: "Replace \(place.noun)"
    case .post: "Append to \(place.noun)"
    case .delete: place.route.isRemovable ? "Remove \(place.noun)" : "Set \(place.noun) to null"
    case .options, .unknown: "Ask what can be done with \(place.noun)"
    }
  }

  private mutating func parameters(_ method: Method, _ place: OpenAPIPlace) -> OpenAPINode? {
    var names: [String]
    switch method {
    case .get, .head: names = ["If-None-Match", "If-Match", "pretty"]
    case .patch, .put, .post: names = ["If-Match", "If-None-Match", "Prefer", "pretty"]
    case .delete: names = ["If-Match", "If-None-Match", "Prefer"]
    case .options, .unknown: return nil
    }
    var list: [OpenAPINode] = []
    if [.get, .head].contains(method), case .elements(_, let key) = place.route.target.kind {
      names.append("limit")
      list = [[
        "name": "after", "in": "query", "description": "The id behind which the page begins.",
        "schema": schemas.schema(key.type, .read, hint: place.hint + "Id"),
      ]]
    }
    return .list(names.map { .reference("parameters", $0) } + list)
  }
}

// MARK: Bodies

extension OpenAPIOperations {
  private mutating func body(_ method: Method, _ place: OpenAPIPlace) -> OpenAPINode? {
    let type = place.route.target
    switch method {
    case .patch:
      let merge = content(type, .merge, place)
      let patch: OpenAPINode = [
        "schema": .reference("schemas", OpenAPIComponents.patchSchema), "example": patchExample(place),
      ]
      return [
        "required": true,
        "content": [
          "application/json": merge, "application/merge-patch+json": merge, "application/json-patch+json": patch,
        ],
      ]
    case .put:
      let isMade = place.canBeMade || !type.isProduct
      return ["required": true, "content": ["application/json": content(type, isMade ? .put : .replacement, place)]]
    case .post:
      guard case .elements(let element, _) = type.kind else { return nil }
      let schema = schemas.schema(element, .new, hint: place.hint + "Item")
      return ["required": true, "content": ["application/json": ["schema": schema]]]
    default: return nil
    }
  }

  /// A body with the schema of the place for a use; what has no schema of its own shows an example here.
  private mutating func content(_ type: TypeInfo, _ use: OpenAPIUse, _ place: OpenAPIPlace) -> OpenAPINode {
    let schema = self.schema(type, use, place)
    guard schema["$ref"] == nil else { return ["schema": schema] }
    return ["schema": schema, "example": use.part(of: place.value, type)]
  }

  private mutating func schema(_ type: TypeInfo, _ use: OpenAPIUse, _ place: OpenAPIPlace) -> OpenAPINode {
    // The labels of a case have been given a name where the enum was described.
    if case .product(let product) = type.kind {
      return schemas.product(product, type, use, name: place.typeName.split(separator: ".").map {
        String($0).capitalizedFirst }.joined())
    }
    return schemas.schema(type, use, hint: place.hint)
  }

  /// A JSON Patch that the example lets through.
  private func patchExample(_ place: OpenAPIPlace) -> OpenAPINode {
    let type = place.route.target
    if place.route.canAppend, case .elements(let element, _) = type.kind, let first = place.value.elements.first {
      return [["op": "add", "path": "/-", "value": OpenAPIUse.new.part(of: first, element)]]
    }
    let inside = type.unwrapped
    if case .product = inside.kind, let change = OpenAPIUse.merge.part(of: place.value, inside).entries.first {
      let path = OpenAPINode.text(Pointer.text([change.key]))
      return [
        ["op": "test", "path": path, "value": place.value[change.key] ?? change.value],
        ["op": "replace", "path": path, "value": change.value],
      ]
    }
    return [["op": "replace", "path": "", "value": OpenAPIUse.put.part(of: place.value, type)]]
  }
}

// MARK: Answers

extension OpenAPIOperations {
  private mutating func responses(_ method: Method, _ place: OpenAPIPlace) -> OpenAPINode {
    var answers: [(Status, OpenAPINode)] = []
    let written = ["ETag", "State-Revision", "State-Changed", "Preference-Applied"]
      + (place.route.isComputed || place.route.target.hasComputed ? ["Write-Outcome"] : [])
    let isPaged = place.route.isCollection && !place.route.target.isFixed
    switch method {
    case .get:
      let headers = ["ETag", "State-Revision"] + (place.route.isCollection ? ["Link"] : [])
      answers.append((.ok, value("The value.", place, headers)))
    case .head:
      let headers = ["ETag", "State-Revision"] + (place.route.isCollection ? ["Link"] : [])
      answers.append((.ok, Self.response("The value is there.", headers)))
    case .patch, .put:
      answers.append((.ok, value("The value as it is now.", place, written)))
      if method == .put, place.canBeMade { answers.append((.created, value("It was made.", place, written))) }
      answers.append((.noContent, .reference("responses", OpenAPIComponents.written)))
    case .post:
      answers.append((.created, element(place, written + ["Location"])))
    case .delete:
      answers.append((.noContent, .reference("responses", OpenAPIComponents.removed)))
    case .options, .unknown:
      answers.append((.noContent, .reference("responses", OpenAPIComponents.options)))
    }
    _ = isPaged
    answers += refusals(method, place).map { status in
      (status, .reference("responses", status == .notModified ? "NotModified" : status.component))
    }
    return .object(
      answers.sorted { $0.0.rawValue < $1.0.rawValue }.map { .init(key: String($0.0.rawValue), value: $0.1) })
  }

  private func refusals(_ method: Method, _ place: OpenAPIPlace) -> [Status] {
    let isComputed = place.route.isComputed
    switch method {
    case .get, .head:
      let mayBeAbsent = place.canBeAbsent || place.route.isCollection
      return [.notModified, .badRequest, .notAcceptable, .preconditionFailed, .serviceUnavailable]
        + (mayBeAbsent ? [.notFound] : [])
    case .patch, .put, .post:
      let isConflict = method != .post || isComputed || place.canBeAbsent
      return Self.writing + [.contentTooLarge, .unsupportedMediaType] + (isConflict ? [.conflict] : [])
        + (place.hasIDs || place.route.target.hasEntries ? [.notFound] : [])
    case .delete:
      return Self.writing + (isComputed ? [.conflict] : []) + (place.hasIDs ? [.notFound] : [])
    case .options, .unknown:
      return [.badRequest, .serviceUnavailable] + (place.hasIDs ? [.notFound] : [])
    }
  }

  private static let writing: [Status] = [
    .badRequest, .preconditionFailed, .unprocessableContent, .serviceUnavailable, .insufficientStorage,
  ]

  private mutating func value(_ description: String, _ place: OpenAPIPlace, _ headers: [String]) -> OpenAPINode {
    Self.response(description, headers).adding(
      ["content": ["application/json": content(place.route.target, .read, place)]])
  }

  private mutating func element(_ place: OpenAPIPlace, _ headers: [String]) -> OpenAPINode {
    guard case .elements(let element, _) = place.route.target.kind else { return [:] }
    let schema = schemas.schema(element, .read, hint: place.hint + "Item")
    return Self.response("It was added.", headers).adding(["content": ["application/json": ["schema": schema]]])
  }

  private static func response(_ description: String, _ headers: [String]) -> OpenAPINode {
    [
      "description": .text(description),
      "headers": .object(headers.map { .init(key: $0, value: .reference("headers", $0)) }),
    ]
  }
}

extension Status {
  /// The name of the component that describes problems of this status.
  var component: String { reason.filter { $0 != " " } }
}

extension TypeInfo {
  fileprivate var isProduct: Bool {
    if case .product = kind { true } else { false }
  }

  fileprivate var unwrapped: TypeInfo {
    if case .optional(let wrapped) = kind, !wrapped.isOptional { wrapped } else { self }
  }

  private var isOptional: Bool {
    if case .optional = kind { true } else { false }
  }

  /// A write of the value may run a setter.
  fileprivate var hasComputed: Bool { contains { $0.role == .computed } inside: { _ in false } }

  /// A merge may name an entry that is not there.
  fileprivate var hasEntries: Bool {
    contains { _ in false } inside: { if case .dictionary = $0.kind { true } else { false } }
  }

  private func contains(_ member: (MemberInfo) -> Bool, inside type: (TypeInfo) -> Bool) -> Bool {
    if type(self) { return true }
    switch kind {
    case .scalar: return false
    case .product(let product):
      return product.members.contains { $0.role != .hidden && (member($0) || $0.type.contains(member, inside: type)) }
    case .sum(let cases): return cases.contains { $0.payload?.contains(member, inside: type) ?? false }
    case .optional(let inner), .elements(let inner, _), .array(let inner), .dictionary(let inner, _):
      return inner.contains(member, inside: type)
    }
  }
}
