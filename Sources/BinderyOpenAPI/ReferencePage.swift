package import BinderyAPI

extension OpenAPIDocument {
  /// The document as a web page.
  package var page: HTMLPage { ReferencePage(root: root).page }
}

/// Renders an OpenAPI document as a web page without scripts.
///
/// All texts of the document are escaped: names in it come from the model. All URLs are relative, so that the page
/// works below any base path.
struct ReferencePage {
  let root: OpenAPINode

  var page: HTMLPage {
    let title = root["info"]?["title"]?.text ?? ""
    return HTMLPage(title: "\(title): API reference", style: Self.style, body: body(title))
  }

  private func body(_ title: String) -> String {
    let version = root["info"]?["version"]?.text ?? ""
    return """
      <header>
      <h1>\(HTMLPage.escaped(title)) <small>\(HTMLPage.escaped(version))</small></h1>
      <p>This page as a document for code generators: <a href="openapi.yaml">openapi.yaml</a></p>
      </header>
      <div class="columns">
      \(contents)
      <main>
      <section id="about">
      <h2>About</h2>
      \(HTMLText.prose(root["info"]?["description"]?.text ?? ""))
      </section>
      \(tags.map(section).joined(separator: "\n"))
      \(schemaSections)
      \(sharedSections)
      </main>
      </div>
      """
  }

  private var tags: [(name: String, description: String)] {
    (root["tags"]?.elements ?? []).map { ($0["name"]?.text ?? "", $0["description"]?.text ?? "") }
  }

  private var contents: String {
    let members = tags.map { "<li>\(HTMLText.link(to: "tag-" + $0.name, $0.name))</li>" }
    return """
      <nav aria-label="Contents">
      <ul>
      <li><a href="#about">About</a></li>
      </ul>
      <ul class="names">
      \(members.joined(separator: "\n"))
      </ul>
      <ul>
      <li><a href="#schemas">Schemas</a></li>
      <li><a href="#parameters">Parameters</a></li>
      <li><a href="#responses">Responses</a></li>
      <li><a href="#headers">Headers</a></li>
      <li><a href="#authentication">Authentication</a></li>
      </ul>
      </nav>
      """
  }

  // MARK: Operations

  private func section(_ tag: (name: String, description: String)) -> String {
    let places = (root["paths"]?.entries ?? []).compactMap { path -> String? in
      let operations = path.value.entries.filter { $0.value["tags"]?.elements.contains(.text(tag.name)) ?? false }
      guard !operations.isEmpty else { return nil }
      let shared = path.value["parameters"]?.elements ?? []
      return """
        <article>
        <h3>\(HTMLText.code(path.key))</h3>
        \(operations.map { operation($0, shared) }.joined(separator: "\n"))
        </article>
        """
    }
    return """
      <section id="\(HTMLText.id("tag-" + tag.name))">
      <h2>\(HTMLPage.escaped(tag.name))</h2>
      \(HTMLText.prose(tag.description))
      \(places.joined(separator: "\n"))
      </section>
      """
  }

  private func operation(_ entry: OpenAPINode.Entry, _ shared: [OpenAPINode]) -> String {
    let operation = entry.value
    let method = HTMLPage.escaped(entry.key.uppercased())
    return """
      <details id="\(HTMLText.id(operation["operationId"]?.text ?? ""))">
      <summary><b class="\(HTMLText.id(entry.key))">\(method)</b> <span>\
      \(HTMLText.inline(operation["summary"]?.text ?? ""))</span></summary>
      \(HTMLText.prose(operation["description"]?.text ?? ""))
      <dl>
      \(parameters(shared + (operation["parameters"]?.elements ?? [])))
      \(body(operation["requestBody"]))
      \(responses(operation["responses"]))
      <dt>Operation</dt><dd>\(HTMLText.code(operation["operationId"]?.text ?? ""))</dd>
      </dl>
      </details>
      """
  }

  private func parameters(_ parameters: [OpenAPINode]) -> String {
    guard !parameters.isEmpty else { return "" }
    let items = parameters.map { parameter in
      let resolved = resolve(parameter)
      let name = resolved["name"]?.text ?? ""
      if let component = parameter.referencedName {
        return HTMLText.link(to: "parameter-" + component, name)
      }
      return "\(HTMLText.code(name)): \(HTMLText.inline(resolved["description"]?.text ?? ""))"
    }
    return "<dt>Parameters</dt><dd>\(items.joined(separator: ", "))</dd>"
  }

  private func body(_ body: OpenAPINode?) -> String {
    guard let body else { return "" }
    return (resolve(body)["content"]?.entries ?? []).map { media in
      let example = media.value["example"].map(HTMLText.json) ?? ""
      return """
        <dt>Body</dt><dd>\(HTMLText.code(media.key)): \(type(media.value["schema"] ?? [:]))\(example)</dd>
        """
    }.joined(separator: "\n")
  }

  private func responses(_ responses: OpenAPINode?) -> String {
    let items = (responses?.entries ?? []).map { response in
      let resolved = resolve(response.value)
      let status = response.key == "default" ? "otherwise" : response.key
      let content = resolved["content"]?.entries.first
      let value = content.flatMap { media in
        media.value["schema"].map {
          type($0) + (media.key == "application/json" ? "" : " as " + HTMLText.code(media.key))
        }
      }
      let name = response.value.referencedName.map { HTMLText.link(to: "response-" + $0, $0) }
      let isListed = sharedResponses.contains { $0.key == response.value.referencedName }
      let text = isListed ? name ?? "" : value ?? HTMLText.inline(resolved["description"]?.text ?? "")
      return "<li><b>\(HTMLPage.escaped(status))</b> \(text)</li>"
    }
    return "<dt>Responses</dt><dd><ul class=\"plain\">\(items.joined())</ul></dd>"
  }

  // MARK: References

  /// Returns the target of a reference. Returns all other nodes unchanged.
  func resolve(_ node: OpenAPINode) -> OpenAPINode {
    guard let reference = node["$ref"]?.text else { return node }
    return reference.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null }
  }

  /// The components of a kind.
  func components(_ kind: String) -> [OpenAPINode.Entry] { root["components"]?[kind]?.entries ?? [] }

  /// The responses that have a section of their own: those without a JSON value.
  var sharedResponses: [OpenAPINode.Entry] {
    components("responses").filter { $0.value["content"]?["application/json"] == nil }
  }
}
