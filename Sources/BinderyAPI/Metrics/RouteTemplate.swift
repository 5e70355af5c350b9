import BinderyCore

extension Route {
  /// The URL's path with ids and keys left out, as `/state/dishes/{id}/name`: the types have only so many of them.
  ///
  /// - Parameter root: the type that the route begins at.
  func template(from root: TypeInfo) -> String {
    var template = "/state"
    var type = root
    for step in steps {
      switch (type.kind, step) {
      case (.product(let product), .member(let index)): template += "/" + product.members[index].name
      case (.sum(let cases), .payload(let index)): template += "/" + cases[index].name
      case (.optional(let wrapped), .wrapped):
        // Only the layers of a nested optional are named.
        if case .optional = wrapped.kind { template += "/some" }
      case (.dictionary, _): template += "/{key}"
      default: template += "/{id}"
      }
      type = type.following([step]) ?? type
    }
    return template
  }
}
