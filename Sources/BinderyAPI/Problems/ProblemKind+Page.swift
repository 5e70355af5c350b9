import BinderyCryptography
import BinderyHTTP

extension ProblemKind {
  /// The page that the problem's `type` leads to.
  var page: StaticDocument {
    StaticDocument(
      "text/html; charset=utf-8",
      Self.html(
        title,
        """
        <p>{status} <code>{name}</code></p>
        <p>{explanation}</p>
        <p><a href="/problems">All problems</a></p>
        """
        .replacing("{status}", with: "\(status.rawValue) \(status.reason)")
        .replacing("{name}", with: rawValue)
        .replacing("{explanation}", with: explanation)),
      policy: Self.policy)
  }

  /// The list of all pages.
  static var index: StaticDocument {
    let items = allCases.map {
      let link = "<a href=\"/problems/\($0.rawValue)\"><code>\($0.rawValue)</code></a>"
      return "<li>\(link) (\($0.status.rawValue)): \($0.title)</li>"
    }
    return StaticDocument(
      "text/html; charset=utf-8", html("Problems", "<ul>\n\(items.joined(separator: "\n"))\n</ul>"), policy: policy)
  }

  private static let style =
    "body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }"

  /// The style is known by its digest (CSP3 §2.3.1).
  private static let policy =
    "\(StaticDocument.strictPolicy); style-src 'sha256-\(Base64.encoded(SHA256.digest(style.utf8)))'"

  private static func html(_ title: String, _ body: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    <style>\(style)</style>
    <h1>\(title)</h1>
    \(body)
    </html>

    """
  }
}
