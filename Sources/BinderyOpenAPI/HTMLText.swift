import BinderyAPI
import BinderyJSON

/// Texts of the document as HTML. Everything that comes from the document is escaped.
package enum HTMLText {
  /// Returns paragraphs and lists. Empty lines separate them, and the items of a list begin with `- `.
  package static func prose(_ text: String) -> String {
    text.split(separator: "\n\n").map { block in
      let lines = block.split(separator: "\n")
      guard lines.allSatisfy({ $0.hasPrefix("- ") }) else { return "<p>\(inline(String(block)))</p>" }
      return "<ul>\(lines.map { "<li>\(inline(String($0.dropFirst(2))))</li>" }.joined())</ul>"
    }.joined(separator: "\n")
  }

  /// Returns a text with code in backticks.
  static func inline(_ text: String) -> String {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    // With an odd number of backticks, the last one has no counterpart.
    let hasStray = parts.count.isMultiple(of: 2)
    var html = ""
    for (index, part) in parts.enumerated() {
      switch (index.isMultiple(of: 2), hasStray && index == parts.count - 1) {
      case (true, _): html += HTMLPage.escaped(part)
      case (false, false): html += code(part)
      case (false, true): html += "`" + HTMLPage.escaped(part)
      }
    }
    return html
  }

  /// Returns a text as code.
  static func code(_ text: String) -> String { "<code>\(HTMLPage.escaped(text))</code>" }

  /// Returns a link to an element of the page.
  static func link(to id: String, _ text: String) -> String {
    "<a href=\"#\(HTMLText.id(id))\">\(HTMLPage.escaped(text))</a>"
  }

  /// Returns an id that is also valid as a URL fragment: other characters than letters and digits become their code.
  static func id(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789-".unicodeScalars.contains(scalar))
      return isPlain ? String(scalar) : "_" + String(scalar.value, radix: 16)
    }.joined()
  }

  /// Returns a JSON value, indented.
  static func json(_ node: JSONTree) -> String { "<pre>\(HTMLPage.escaped(pretty(node, indent: 0)))</pre>" }

  private static func pretty(_ node: JSONTree, indent: Int) -> String {
    let compact = node.text
    guard compact.count > 60 else { return compact }
    let margin = String(repeating: " ", count: indent + 2)
    let end = String(repeating: " ", count: indent)
    switch node {
    case .array(let elements):
      return "[\n" + elements.map { margin + pretty($0, indent: indent + 2) }.joined(separator: ",\n") + "\n\(end)]"
    case .object(let entries):
      let lines = entries.map { entry in
        "\(margin)\(JSONTree.string(entry.key).text): "
          + pretty(entry.value, indent: indent + 2)
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(end)}"
    default: return compact
    }
  }
}
