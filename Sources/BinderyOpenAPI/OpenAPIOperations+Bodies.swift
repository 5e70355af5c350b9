import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyJSON

extension OpenAPIOperations {
  /// Returns the request body of an operation, or nil if the method has none.
  ///
  /// Each operation has one media type, because openapi-python-client chooses between several by `isinstance`, which
  /// does not work for lists and unions. `PATCH` is a merge patch as `application/json`, except at `/state`, where it
  /// is the JSON Patch.
  mutating func body(_ method: Method, _ place: OpenAPIPlace) -> JSONTree? {
    let type = place.route.target
    switch method {
    case .patch where place.route.steps.isEmpty:
      let patch: JSONTree = ["schema": .reference("schemas", OpenAPIComponents.patchSchema), "example": patchExample]
      return ["required": true, "content": ["application/json-patch+json": patch]]
    case .patch: return body(schema(type, .merge, place), type)
    case .put:
      let canBeCreated = place.canBeCreated || !type.isProduct
      return body(schema(type, canBeCreated ? .put : .replacement, place), type)
    case .post:
      guard case .elements(let element, _) = type.kind else { return nil }
      return body(schemas.schema(element, .new, hint: place.hint + "Item"), element)
    default: return nil
    }
  }

  private mutating func body(_ schema: JSONTree, _ type: TypeInfo) -> JSONTree {
    share(
      "requestBodies", schema.componentName(for: type),
      ["required": true, "content": ["application/json": ["schema": schema]]])
  }

  /// Returns the schema of a place.
  mutating func schema(_ type: TypeInfo, _ variant: OpenAPISchemaVariant, _ place: OpenAPIPlace) -> JSONTree {
    guard let labels = place.labelsName, case .product(let product) = type.kind else {
      return schemas.schema(type, variant, hint: place.hint)
    }
    return schemas.product(product, type, variant, name: labels)
  }

  /// A JSON Patch that is valid for the example state: it sets a member if it still has its value.
  private var patchExample: JSONTree {
    let (pointer, value) = model.sample
    return [["op": "test", "path": pointer, "value": value], ["op": "replace", "path": pointer, "value": value]]
  }
}

extension JSONTree {
  /// The name of the component that this node references, or nil if the node is no reference.
  var referencedName: String? { self["$ref"]?.string?.split(separator: "/").last.map(String.init) }

  /// The name of a component with this schema.
  ///
  /// - Parameter type: The type of the value, for the schema of a plain scalar.
  func componentName(for type: TypeInfo) -> String {
    referencedName ?? (self["type"]?.string == nil ? "Nullable" : "") + OpenAPINaming.capitalized(type.unwrapped.name)
  }
}

extension TypeInfo {
  fileprivate var isProduct: Bool {
    if case .product = kind { true } else { false }
  }
}
