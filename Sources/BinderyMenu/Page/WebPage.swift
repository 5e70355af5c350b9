import Bindery

/// The web page of the menu. Its files need no build step and are embedded in the binary.
public enum WebPage {
  /// The Content Security Policy of the page (CSP3).
  ///
  /// It allows only resources of this server, forbids inline scripts and styles, and forbids parsing text as markup
  /// (Trusted Types).
  public static let contentSecurityPolicy = """
    default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
    """

  /// Creates a file of the page.
  static func file(_ path: String, _ content: [UInt8]) -> WebFile {
    WebFile(path: path, content: content, contentSecurityPolicy: contentSecurityPolicy)
  }
}
