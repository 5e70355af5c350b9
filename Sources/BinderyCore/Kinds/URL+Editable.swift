import BinderyJSON
public import FoundationEssentials

/// In JSON, a URL is a string: a URI with a scheme (RFC 3986), kept as it was written.
///
/// URLs are compared by the bytes of that string, so `http://a` and `HTTP://a/` are different. A relative URL is
/// rejected, from JSON and from Swift.
extension URL: Editable {
  /// A string: an absolute URL (RFC 3986), kept as it was written.
  public static let shape = EditableShape<URL>.scalar(
    "URL", schemaType: "string", format: "uri",
    pattern: #"^[A-Za-z][A-Za-z0-9+.-]*:([A-Za-z0-9._~:/?#@!$&'()*+,;=\[\]-]|%[0-9A-Fa-f]{2})*$"#,
    example: "\"https://example.com/menu\"", expected: absolute, encode: { $1.string($0.absoluteString) },
    decode: { $0.string.flatMap(URL.init(keeping:)) }, areSame: { $0.absoluteString.isSame(as: $1.absoluteString) }
  ).checked { url throws(ValidationError) in
    let text = url.absoluteString
    guard URL(keeping: text) != nil else {
      throw ValidationError(.value, "“\(text)” is not \(absolute)", expected: absolute)
    }
  }

  private static let absolute = "an absolute URL (RFC 3986), such as \"https://example.com/menu\""

  /// Creates a URL whose ``absoluteString`` has the same bytes as a text; nil if the text is not an absolute URL.
  private init?(keeping text: String) {
    guard AbsoluteURI.isValid(text) else { return nil }
    self.init(string: text, encodingInvalidCharacters: false)
    guard absoluteString.isSame(as: text) else { return nil }
  }
}
