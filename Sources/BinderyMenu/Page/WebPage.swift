/// The menu's web page: files without a build step, kept in the binary.
package enum WebPage {
  /// One file of the page.
  package struct File: Sendable {
    /// Where it is served.
    package let path: String
    package let mediaType: String
    package let bytes: [UInt8]

    init(_ path: String, _ mediaType: MediaType, _ bytes: [UInt8]) {
      self.path = path
      self.mediaType = mediaType.rawValue
      self.bytes = bytes
    }
  }

  enum MediaType: String {
    case html = "text/html; charset=utf-8"
    case css = "text/css; charset=utf-8"
    case javaScript = "text/javascript; charset=utf-8"
    case svg = "image/svg+xml"
  }

  /// What the page may do (CSP3): only what this server serves, no script or style within the document, and no text
  /// that is ever read as markup.
  package static let contentSecurityPolicy = """
    default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
    """
}
