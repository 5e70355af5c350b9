package import BinderyAPI
import BinderyClient
import BinderyCryptography
import BinderyText

/// The documents with which every service serves the browser client.
package enum ClientDocuments {
  /// The documents by path.
  ///
  /// `/client.js` has a stable URL, so browsers check whether it is current. It is one line, which exports everything
  /// from the module itself. The URL of the module contains a hash of its content, so browsers keep it unchecked.
  package static var byPath: [String: StaticDocument] {
    let module = ScriptText.compact(ClientFiles.module)
    let name = "client-\(hash(of: module)).js"
    return [
      "/client.js": script { Array("export * from \"./\(name)\";\n".utf8) },
      "/\(name)": script(isImmutable: true) { module },
      // The registered type of `.ts` is a video format.
      "/client.d.ts": StaticDocument("text/plain; charset=utf-8", isPublic: true) { ClientFiles.declarations },
    ]
  }

  private static func script(isImmutable: Bool = false, _ content: @escaping @Sendable () -> [UInt8]) -> StaticDocument
  {
    StaticDocument("text/javascript; charset=utf-8", isPublic: true, isImmutable: isImmutable, content)
  }

  /// Returns 16 hexadecimal digits of the SHA-256 of a content, the same on every server.
  private static func hash(of content: [UInt8]) -> String { SHA256.digest(content).prefix(8).hexadecimal }
}
