extension Route {
  /// The place's pointer as what is kept spells it, escaped for JSON; nil where a step is not named there as it is in a
  /// URL.
  ///
  /// - Parameter root: the type that the route begins at.
  package func storedPath(from root: TypeInfo) -> [UInt8]? {
    var path: [UInt8] = []
    var type = root
    for step in steps {
      switch (type.kind, step) {
      case (.product(let product), .member(let index)):
        path += product.members[index].segment
        type = product.members[index].type
      case (.sum(let cases), .payload(let index)):
        guard let payload = cases[index].payload else { return nil }
        path += cases[index].segment
        type = payload
      case (.elements(let element, _), .key(let key)), (.dictionary(let element, _), .key(let key)):
        path += key.segment
        type = element
      default: return nil
      }
    }
    return path
  }
}
