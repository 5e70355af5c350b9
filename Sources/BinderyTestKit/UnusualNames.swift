import BinderyJSON

/// A model file whose names and texts are syntax in HTML, YAML, JavaScript, Markdown or shells.
package enum UnusualNames {
  /// The names. Each is also a text, an id and a key.
  package static let names = [
    "*/", "</script><script>document.title='no'</script>", "`", "${alert(1)}", "a\u{2028}b", "__proto__",
    "<img src=x onerror=alert(1)>", "'\"", "- a: b #", "]]>", "constructor", "&amp;", "{{x}}", "\u{202E}rtl", "null",
    "~",
    "@import", "\\", "%41", "#{x}", "a\u{85}b", "\u{FEFF}", "=", "!tag", "*alias", "é",
  ]

  /// The model file.
  package static let text: [UInt8] = {
    func quoted(_ text: String) -> String { JSONTree.string(text).text }
    let members = names.map { name in
      let name = quoted(name)
      return #"\#(name): {"title": \#(name), "description": \#(name), "type": "string", "default": \#(name)}"#
    }
    let cases = names.map { #"{"const": \#(quoted($0))}"# }
    let payloads = names.map { #"{"type": "object", "properties": {\#(quoted("+" + $0)): {"type": "boolean"}}}"# }
    let elements = names.map { #"{"id": \#(quoted($0))}"# }
    let entries = names.map { "\(quoted($0)): 1" }
    let values = names.map(quoted)
    return Array(
      ##"""
      {"title": \##(quoted(names[1])), "description": \##(quoted(names.joined(separator: " "))), "type": "object",
      "properties": {\##(members.joined(separator: ",\n")),
        "choice": {"oneOf": [\##((cases + payloads).joined(separator: ", "))], "default": \##(quoted(names[1]))},
        "value": {"enum": [\##(values.joined(separator: ", "))], "default": \##(quoted(names[1]))},
        "label": {"x-bindery": {"label": {"of": "/value", "texts": {\##(quoted(names[1])): \##(quoted(names[6]))},
          "otherwise": \##(quoted(names[0]))}}},
        "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        "entries": {"type": "object", "additionalProperties": {"type": "integer"}, "default": {}}},
      "default": {"items": [\##(elements.joined(separator: ", "))], "entries": {\##(entries.joined(separator: ", "))}},
      "$defs": {"Item": {"description": \##(quoted(names[1])), "type": "object",
        "properties": {"id": {"type": "string"}}, "required": ["id"], "x-bindery": {"id": "id"}}}}
      """##.utf8)
  }()
}
