package import HTTP
package import Shapes

/// What may be done with a place, which its types alone decide.
package struct Allowed: Sendable {
  package let methods: [Method]

  package init(_ route: Route) {
    var methods: [Method] = [.get, .head]
    if route.isWritable { methods += [.patch, .put] }
    if route.canAppend { methods.append(.post) }
    if route.canDelete { methods.append(.delete) }
    self.methods = methods + [.options]
  }

  func contains(_ method: Method) -> Bool { methods.contains(method) }

  /// The value of `Allow` (RFC 9110 §10.2.1).
  var field: String { methods.map(\.name).joined(separator: ", ") }

  var acceptPatch: String? { contains(.patch) ? MediaType.patch : nil }
  var acceptPost: String? { contains(.post) ? MediaType.post : nil }
}
