import BinderyJSON

/// The permissions of a client, as `GET /session` reports them.
struct ClientAccess {
  let scope: AccessToken.Scope
  /// Equal for clients with the same token, and for all clients of a service that requires none.
  let group: String

  /// The access of all clients of a service that requires no token.
  static let open = ClientAccess(scope: .write, group: "anonymous")

  /// The JSON document.
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("access", scope == .write ? "write" : "read")
    writer.member("group", group)
    writer.endObject()
    return writer.bytes
  }
}
