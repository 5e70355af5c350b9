import BinderyAPI
import BinderyConsole

/// The documents with which every service serves the console.
enum ConsoleDocuments {
  /// The Content Security Policy of the console (CSP3): resources of this server only, no inline scripts and styles,
  /// and no text that is parsed as markup (Trusted Types).
  private static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
    """

  /// The documents by path. They need no token, because they contain nothing of the model or the state.
  static var byPath: [String: StaticDocument] {
    var documents = ["/console": document("index.html", ConsoleFiles.page)]
    for (name, content) in ConsoleFiles.parts { documents["/console/\(name)"] = document(name, content) }
    return documents
  }

  private static func document(_ name: String, _ content: [UInt8]) -> StaticDocument {
    let content = name.hasSuffix(".js") ? ScriptText.compact(content) : ScriptText.withoutComments(content)
    return StaticDocument(WebFile.mediaType(ofPath: name), policy: policy, isPublic: true) { content }
  }
}
