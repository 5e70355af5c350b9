import BinderyAPI
import BinderyCore
import BinderyHTTP

extension OpenAPIOperations {
  /// What a request for a place sends; nil where it sends nothing.
  mutating func body(_ method: Method, _ place: OpenAPIPlace) -> OpenAPINode? {
    let type = place.route.target
    switch method {
    case .patch:
      let merge = content(type, .merge, place)
      let patch: OpenAPINode = [
        "schema": .reference("schemas", OpenAPIComponents.patchSchema), "example": patchExample(place),
      ]
      return shared([
        "application/json": merge, "application/merge-patch+json": merge, "application/json-patch+json": patch,
      ])
    case .put:
      let mayBeMade = place.canBeMade || !type.isProduct
      return shared(["application/json": content(type, mayBeMade ? .put : .replacement, place)])
    case .post:
      guard case .elements(let element, _) = type.kind else { return nil }
      return shared(["application/json": ["schema": schemas.schema(element, .new, hint: place.hint + "Item")]])
    default: return nil
    }
  }

  /// Bodies of a named schema are shared.
  private mutating func shared(_ content: OpenAPINode) -> OpenAPINode {
    let body: OpenAPINode = ["required": true, "content": content]
    guard let name = content.entries.first?.value["schema"]?.referredName else { return body }
    let isPatch = content.entries.count > 1 && !name.hasSuffix("Patch")
    return share("requestBodies", isPatch ? name + "Patch" : name, body)
  }

  /// A value with the schema of the place for a use; what has no schema of its own shows an example here.
  mutating func content(_ type: TypeInfo, _ use: OpenAPIUse, _ place: OpenAPIPlace) -> OpenAPINode {
    let schema = schema(type, use, place)
    guard schema.referredName == nil else { return ["schema": schema] }
    return ["schema": schema, "example": use.part(of: place.value, type)]
  }

  private mutating func schema(_ type: TypeInfo, _ use: OpenAPIUse, _ place: OpenAPIPlace) -> OpenAPINode {
    guard case .product(let product) = type.kind else { return schemas.schema(type, use, hint: place.hint) }
    // The labels of a case have no type of their own: the place knows what they are called.
    return schemas.product(product, type, use, name: place.typeName)
  }

  /// A JSON Patch that could be sent to the place as the example has it.
  private func patchExample(_ place: OpenAPIPlace) -> OpenAPINode {
    let type = place.route.target
    if place.route.canAppend, case .elements(let element, _) = type.kind, let first = place.value.elements.first {
      return [["op": "add", "path": "/-", "value": OpenAPIUse.new.part(of: first, element)]]
    }
    let inside = type.unwrapped
    let value = examples.value(of: inside)
    if case .product = inside.kind, let change = OpenAPIUse.merge.part(of: value, inside).entries.first {
      let path = OpenAPINode.text(Pointer.text([change.key]))
      return [
        ["op": "test", "path": path, "value": value[change.key] ?? change.value],
        ["op": "replace", "path": path, "value": change.value],
      ]
    }
    return [["op": "replace", "path": "", "value": OpenAPIUse.put.part(of: place.value, type)]]
  }
}

extension OpenAPINode {
  /// The name of the component that this refers to.
  var referredName: String? { self["$ref"]?.text?.split(separator: "/").last.map(String.init) }
}

extension TypeInfo {
  fileprivate var isProduct: Bool {
    if case .product = kind { true } else { false }
  }

  /// What a single optional holds.
  fileprivate var unwrapped: TypeInfo {
    guard case .optional(let wrapped) = kind else { return self }
    if case .optional = wrapped.kind { return self }
    return wrapped
  }
}
