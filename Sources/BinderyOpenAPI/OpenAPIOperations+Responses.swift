import BinderyAPI
import BinderyCore
import BinderyHTTP
import BinderyJSON

extension OpenAPIOperations {
  /// Returns all responses to a request for a place.
  mutating func responses(_ method: Method, _ place: OpenAPIPlace) -> JSONTree {
    let type = place.route.target
    let successes: JSONTree
    switch method {
    case .get: successes = ["200": value(place), "304": .reference("responses", OpenAPIComponents.notModified)]
    case .put where place.canBeCreated: successes = ["200": value(place), "201": value(place)]
    case .patch, .put: successes = ["200": value(place)]
    case .post:
      guard case .elements(let element, _) = type.kind else { return [:] }
      let schema = schemas.schema(element, .read, hint: place.hint + "Item")
      successes = ["201": value(schema, element, "Created", "The new element.", ["Location"])]
    default: successes = ["204": .reference("responses", OpenAPIComponents.removed)]
    }
    return successes.adding(["default": OpenAPIComponents.failure])
  }

  /// Returns the response with the value of a place. Reads and writes share it.
  private mutating func value(_ place: OpenAPIPlace) -> JSONTree {
    let schema = schema(place.route.target, .read, place)
    let headers = (place.route.hasElements ? ["Collection-Count"] : []) + (place.route.isCollection ? ["Link"] : [])
    return value(schema, place.route.target, "", "The value.", headers)
  }

  private mutating func value(
    _ schema: JSONTree, _ type: TypeInfo, _ suffix: String, _ description: String, _ headers: [String]
  ) -> JSONTree {
    let response = OpenAPIComponents.response(description, headers + OpenAPIComponents.valueHeaders, ["schema": schema])
    return share("responses", schema.componentName(for: type) + suffix, response)
  }
}
