extension Route {
  /// Returns the JSON Pointer of the place in the stored scope, escaped for a JSON string.
  ///
  /// - Parameter root: the type that the route begins at.
  /// - Returns: nil if the storage format and URLs name one of the steps differently.
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
