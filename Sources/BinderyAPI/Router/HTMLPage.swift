import BinderyCryptography
import BinderyText

/// An HTML page that is complete in itself: its style and its script are inline.
package struct HTMLPage: Sendable {
  private let title: String
  private let style: String
  private let script: String?
  private let body: String

  /// - Parameters:
  ///   - title: The title, as text.
  ///   - style: A style sheet, appended to ``baseStyle``.
  ///   - script: A script that runs when the body has been parsed.
  ///   - body: The content as HTML. Texts in it must be escaped with ``escaped(_:)``.
  package init(title: String, style: String = "", script: String? = nil, body: String) {
    self.title = title
    self.style = Self.baseStyle + style
    self.script = script
    self.body = body
  }

  /// The content security policy. It allows the inline style and script by their digests (CSP3 §2.3.1), and requests of
  /// the script to this server.
  package var policy: String {
    var policy = "\(StaticDocument.strictPolicy); style-src \(Self.source(style))"
    if let script {
      policy += "; script-src \(Self.source(script)); connect-src 'self'; require-trusted-types-for 'script'"
    }
    return policy
  }

  private static func source(_ text: String) -> String {
    "'sha256-\(Base64.encoded(SHA256.digest(text.utf8)))'"
  }

  /// The page as HTML.
  package var text: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(Self.escaped(title))</title>
    <style>\(style)</style>
    </head>
    <body>
    \(body)
    \(script.map { "<script>\($0)</script>" } ?? "")
    </body>
    </html>

    """
  }

  /// Returns a text with the characters escaped that have a meaning in HTML, also within quoted attributes.
  package static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The colors and fonts of all pages, light and dark.
  private static let baseStyle = """

    :root {
      color-scheme: light dark;
      --paper: light-dark(#faf7f2, #171512);
      --card: light-dark(#ffffff, #211e1a);
      --ink: light-dark(#2a2520, #ece6dd);
      --soft: light-dark(#6b6258, #a89f93);
      --hair: light-dark(#e3dbd0, #3a352f);
      --line: light-dark(#8f857a, #7d746a);
      --accent: light-dark(#a4451f, #f0a07c);
      --on-accent: light-dark(#ffffff, #2b1208);
      --alarm: light-dark(#a3162b, #ff9aa5);
      font: 100%/1.5 system-ui, sans-serif;
      accent-color: var(--accent);
    }
    *, *::before, *::after { box-sizing: border-box }
    body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; background: var(--paper); color: var(--ink) }
    h1, h2, h3, p, li, dd, td { overflow-wrap: anywhere }
    h1, h2 { line-height: 1.2 }
    a { color: var(--accent) }
    code, pre { font: 0.9em/1.5 ui-monospace, monospace }

    """
}

extension StaticDocument.Rendering {
  init(_ page: HTMLPage) { self.init(content: Array(page.text.utf8), policy: page.policy) }
}

extension StaticDocument {
  /// Creates a document from a page.
  package convenience init(isPublic: Bool = false, page: @escaping @Sendable () -> HTMLPage) {
    self.init(isPublic: isPublic, rendering: { Rendering(page()) })
  }
}
