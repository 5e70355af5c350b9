package import BinderyCore
package import BinderyHTTP

/// The methods that a path supports. They follow from the types alone, not from the current value.
package struct AllowedMethods: Sendable {
  /// One bit per method.
  private let set: UInt8

  /// Creates the methods of the path with a route.
  package init(_ route: Route) {
    var set = Method.get.bit | Method.head.bit | Method.options.bit
    if route.isWritable { set |= Method.patch.bit | Method.put.bit }
    if route.canAppend { set |= Method.post.bit }
    if route.canDelete { set |= Method.delete.bit }
    self.set = set
  }

  /// Creates the methods of endpoints at one path. `GET` includes `HEAD`.
  init(_ methods: [Method]) {
    var set = methods.reduce(Method.options.bit) { $0 | $1.bit }
    if methods.contains(.get) { set |= Method.head.bit }
    self.set = set
  }

  /// The methods of a path outside the state.
  static let readOnly = AllowedMethods([.get])
  /// The methods of an action, such as the revert of a revision.
  static let postOnly = AllowedMethods([.post])
  /// The methods of `/events`.
  static let events = AllowedMethods([.get, .post])
  /// The methods of `/session`.
  static let session = AllowedMethods([.get, .post, .delete])

  /// The methods in the order of the `Allow` field.
  package var methods: [Method] { Self.order.filter(contains) }

  private static let order: [Method] = [.get, .head, .patch, .put, .post, .delete, .options]

  func contains(_ method: Method) -> Bool { set & method.bit != 0 }

  /// The value of `Allow` (RFC 9110 §10.2.1).
  var field: String { methods.map(\.name).joined(separator: ", ") }

  /// The value of `Accept-Patch` (RFC 5789 §3.1), or nil if `PATCH` is not allowed.
  var acceptPatch: String? { contains(.patch) ? MediaType.patch : nil }
  /// The value of `Accept-Post` (LDP §7.1), or nil if `POST` is not allowed.
  var acceptPost: String? { contains(.post) ? MediaType.post : nil }
}

extension Method {
  fileprivate var bit: UInt8 { 1 &<< rawValue }
}
