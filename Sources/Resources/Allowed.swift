package import HTTP
package import Shapes

/// What may be done with a place, which its types alone decide.
package struct Allowed: Sendable {
  package let methods: [Method]
  /// The same, a bit each.
  private let set: UInt8

  package init(_ route: Route) {
    var methods: [Method] = [.get, .head]
    if route.isWritable { methods += [.patch, .put] }
    if route.canAppend { methods.append(.post) }
    if route.canDelete { methods.append(.delete) }
    self.methods = methods + [.options]
    set = self.methods.reduce(0) { $0 | $1.bit }
  }

  func contains(_ method: Method) -> Bool { set & method.bit != 0 }

  /// The value of `Allow` (RFC 9110 §10.2.1).
  var field: String { methods.map(\.name).joined(separator: ", ") }

  var acceptPatch: String? { contains(.patch) ? MediaType.patch : nil }
  var acceptPost: String? { contains(.post) ? MediaType.post : nil }
}

extension Method {
  fileprivate var bit: UInt8 { 1 &<< rawValue }
}
