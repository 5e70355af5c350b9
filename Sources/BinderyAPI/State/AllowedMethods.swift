package import BinderyCore
package import BinderyHTTP

/// What may be done with a place, which its types alone decide.
package struct AllowedMethods: Sendable {
  /// A bit for each method.
  private let set: UInt8

  package init(_ route: Route) {
    var set = Method.get.bit | Method.head.bit | Method.options.bit
    if route.isWritable { set |= Method.patch.bit | Method.put.bit }
    if route.canAppend { set |= Method.post.bit }
    if route.canDelete { set |= Method.delete.bit }
    self.set = set
  }

  /// In the order in which they are told.
  package var methods: [Method] { Self.order.filter(contains) }

  private static let order: [Method] = [.get, .head, .patch, .put, .post, .delete, .options]

  func contains(_ method: Method) -> Bool { set & method.bit != 0 }

  /// The value of `Allow` (RFC 9110 §10.2.1).
  var field: String { methods.map(\.name).joined(separator: ", ") }

  var acceptPatch: String? { contains(.patch) ? MediaType.patch : nil }
  var acceptPost: String? { contains(.post) ? MediaType.post : nil }
}

extension Method {
  fileprivate var bit: UInt8 { 1 &<< rawValue }
}
