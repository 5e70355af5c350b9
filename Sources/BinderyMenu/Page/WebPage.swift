/// The web page of the menu. Its files need no build step and are embedded in the binary.
package enum WebPage {
  /// A file of the page.
  package struct File: Sendable {
    /// The path of the URL.
    package let path: String
    /// The value of the `Content-Type` header.
    package let mediaType: String
    /// The content of the file.
    package let bytes: [UInt8]

    init(_ path: String, _ mediaType: MediaType, _ bytes: [UInt8]) {
      self.path = path
      self.mediaType = mediaType.rawValue
      self.bytes = bytes
    }
  }

  /// The media types of the files.
  enum MediaType: String {
    case html = "text/html; charset=utf-8"
    case css = "text/css; charset=utf-8"
    case javaScript = "text/javascript; charset=utf-8"
    case svg = "image/svg+xml"
  }

  /// The Content Security Policy of the page (CSP3).
  ///
  /// It allows only resources of this server, forbids inline scripts and styles, and forbids parsing text as markup
  /// (Trusted Types).
  package static let contentSecurityPolicy = """
    default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
    """
}
