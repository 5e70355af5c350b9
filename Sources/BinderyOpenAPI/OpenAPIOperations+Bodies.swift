import BinderyAPI
import BinderyCore
import BinderyHTTP

extension OpenAPIOperations {
  /// Returns the request body of an operation, or nil if the method has none.
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
      let canBeCreated = place.canBeCreated || !type.isProduct
      return shared(["application/json": content(type, canBeCreated ? .put : .replacement, place)])
    case .post:
      guard case .elements(let element, _) = type.kind else { return nil }
      return shared(["application/json": ["schema": schemas.schema(element, .new, hint: place.hint + "Item")]])
    default: return nil
    }
  }

  /// Returns a reference to a shared request body if its schema has a name, and else the body itself.
  private mutating func shared(_ content: OpenAPINode) -> OpenAPINode {
    let body: OpenAPINode = ["required": true, "content": content]
    guard let name = content.entries.first?.value["schema"]?.referencedName else { return body }
    let isPatch = content.entries.count > 1 && !name.hasSuffix("Patch")
    return share("requestBodies", isPatch ? name + "Patch" : name, body)
  }

  /// Returns the media type object of a value: its schema, and an example unless the schema is a component that has
  /// one.
  mutating func content(_ type: TypeInfo, _ variant: OpenAPISchemaVariant, _ place: OpenAPIPlace) -> OpenAPINode {
    let schema = schema(type, variant, place)
    guard schema.referencedName == nil else { return ["schema": schema] }
    return ["schema": schema, "example": variant.part(of: place.value, type)]
  }

  private mutating func schema(
    _ type: TypeInfo, _ variant: OpenAPISchemaVariant, _ place: OpenAPIPlace
  ) -> OpenAPINode {
    guard case .product(let product) = type.kind else { return schemas.schema(type, variant, hint: place.hint) }
    // The labels of an enum case have no type of their own, so the name comes from the place.
    return schemas.product(product, type, variant, name: place.typeName)
  }

  /// Returns a JSON Patch that is valid for the place in the example state.
  private func patchExample(_ place: OpenAPIPlace) -> OpenAPINode {
    let type = place.route.target
    if place.route.canAppend, case .elements(let element, _) = type.kind, let first = place.value.elements.first {
      return [["op": "add", "path": "/-", "value": OpenAPISchemaVariant.new.part(of: first, element)]]
    }
    let wrapped = type.unwrapped
    let value = examples.value(of: wrapped)
    if case .product = wrapped.kind, let change = OpenAPISchemaVariant.merge.part(of: value, wrapped).entries.first {
      let path = OpenAPINode.text(Pointer.text([change.key]))
      return [
        ["op": "test", "path": path, "value": value[change.key] ?? change.value],
        ["op": "replace", "path": path, "value": change.value],
      ]
    }
    return [["op": "replace", "path": "", "value": OpenAPISchemaVariant.put.part(of: place.value, type)]]
  }
}

extension OpenAPINode {
  /// The name of the component that this node references, or nil if the node is no reference.
  var referencedName: String? { self["$ref"]?.text?.split(separator: "/").last.map(String.init) }
}

extension TypeInfo {
  fileprivate var isProduct: Bool {
    if case .product = kind { true } else { false }
  }

  /// The wrapped type of a single optional. Double optionals and all other types are returned unchanged.
  fileprivate var unwrapped: TypeInfo {
    guard case .optional(let wrapped) = kind else { return self }
    if case .optional = wrapped.kind { return self }
    return wrapped
  }
}
