import BinderyAPI
import BinderyJSON

extension ReferencePage {
  /// The sections of all schemas.
  var schemaSections: String {
    """
    <section id="schemas">
    <h2>Schemas</h2>
    \(components("schemas").map(schema).joined(separator: "\n"))
    </section>
    """
  }

  private func schema(_ entry: JSONTree.Member) -> String {
    let schema = entry.value
    let required = Set((schema["required"]?.elements ?? []).compactMap(\.string))
    let rows = (schema["properties"]?.members ?? []).map { property in
      let note = required.contains(property.key) ? "" : " <i>optional</i>"
      return """
        <tr><th scope="row">\(HTMLText.code(property.key))\(note)</th>\
        <td>\(type(property.value))\(notes(property.value))</td></tr>
        """
    }
    let table =
      rows.isEmpty ? "<p>\(type(schema))\(notes(schema, isComponent: true))</p>" : "<table>\(rows.joined())</table>"
    let examples = (schema["examples"]?.elements ?? []).map(HTMLText.json)
    return """
      <article id="\(HTMLText.id("schema-" + entry.key))">
      <h3>\(HTMLPage.escaped(entry.key))\(allowsNull(schema) ? " <small>or null</small>" : "")</h3>
      \(HTMLText.prose(schema["description"]?.string ?? ""))
      \(table)
      \(examples.isEmpty ? "" : "<details><summary>Example</summary>\(examples.joined())</details>")
      </article>
      """
  }

  private func allowsNull(_ schema: JSONTree) -> Bool { schema["type"]?.elements.contains("null") ?? false }

  /// Returns the type that a schema describes, with links to other schemas.
  func type(_ schema: JSONTree) -> String {
    if let name = schema.referencedName { return HTMLText.link(to: "schema-" + name, name) }
    if let alternatives = schema["oneOf"]?.elements {
      return alternatives.map(type).joined(separator: " or ")
    }
    let types = (schema["type"].map { $0.elements.isEmpty ? [$0] : $0.elements } ?? []).compactMap(\.string)
    let names = types.map { name in
      switch name {
      case "array": "array of " + type(schema["items"] ?? [:])
      case "object":
        schema["additionalProperties"].flatMap { $0.members.isEmpty ? nil : "object of " + type($0) } ?? "object"
      default: HTMLPage.escaped(schema["format"]?.string.map { "\(name) (\($0))" } ?? name)
      }
    }
    if let values = schema["enum"]?.elements {
      return values.map { HTMLText.code(String(decoding: $0.bytes, as: UTF8.self)) }.joined(separator: " or ")
    }
    return names.isEmpty ? "any JSON value" : names.joined(separator: " or ")
  }

  /// Returns the limits of a value as text, and its description unless it is that of a component.
  private func notes(_ schema: JSONTree, isComponent: Bool = false) -> String {
    var notes: [String] = []
    if schema["readOnly"] == true { notes.append("read-only") }
    for (keyword, text) in [
      ("minimum", "≥ "), ("exclusiveMinimum", "> "), ("maximum", "≤ "), ("exclusiveMaximum", "< "),
      ("minLength", "minimum length "), ("maxLength", "maximum length "), ("minItems", "minimum count "),
      ("maxItems", "maximum count "), ("minProperties", "minimum count "), ("maxProperties", "maximum count "),
    ] {
      if let limit = schema[keyword] { notes.append(text + String(decoding: limit.bytes, as: UTF8.self)) }
    }
    let limits = notes.isEmpty ? "" : ", " + HTMLPage.escaped(notes.joined(separator: ", "))
    // The description says in words what a long pattern means.
    let pattern = schema["pattern"]?.string.map { $0.count > 80 ? "" : ", pattern " + HTMLText.code($0) } ?? ""
    guard !isComponent, let description = schema["description"]?.string else { return limits + pattern }
    return limits + pattern + "<br>" + HTMLText.inline(description)
  }

  /// The sections of what operations share: parameters, responses, header fields and authentication.
  var sharedSections: String {
    let parameters = components("parameters").map { parameter in
      let place = parameter.value["in"]?.string ?? ""
      return item(
        "parameter-" + parameter.key, parameter.value["name"]?.string ?? "",
        "\(place), \(type(parameter.value["schema"] ?? [:]))",
        parameter.value["description"]?.string ?? "")
    }
    let responses = sharedResponses.map { response in
      let headers = (response.value["headers"]?.members ?? []).map { HTMLText.link(to: "header-" + $0.key, $0.key) }
      let content = (response.value["content"]?.members ?? []).map { media in
        "\(HTMLText.code(media.key)): \(type(media.value["schema"] ?? [:]))"
      }
      return item(
        "response-" + response.key, response.key, (content + headers).joined(separator: ", "),
        response.value["description"]?.string ?? "")
    }
    let headers = components("headers").map { header in
      item(
        "header-" + header.key, header.key, type(header.value["schema"] ?? [:]),
        header.value["description"]?.string ?? "")
    }
    let schemes = components("securitySchemes").map { scheme in
      item("scheme-" + scheme.key, scheme.key, "", scheme.value["description"]?.string ?? "")
    }
    return [
      ("parameters", "Parameters", parameters), ("responses", "Responses", responses), ("headers", "Headers", headers),
      ("authentication", "Authentication", schemes),
    ].map { id, title, items in
      "<section id=\"\(id)\">\n<h2>\(title)</h2>\n\(items.joined(separator: "\n"))\n</section>"
    }.joined(separator: "\n")
  }

  private func item(_ id: String, _ name: String, _ kind: String, _ description: String) -> String {
    """
    <article id="\(HTMLText.id(id))">
    <h3>\(HTMLPage.escaped(name))</h3>
    \(kind.isEmpty ? "" : "<p class=\"kind\">\(kind)</p>")
    \(HTMLText.prose(description))
    </article>
    """
  }
}
