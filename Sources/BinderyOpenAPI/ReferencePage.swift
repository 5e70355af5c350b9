package import BinderyAPI
import BinderyJSON

extension OpenAPIDocument {
  /// The document as a web page.
  package var page: HTMLPage { ReferencePage(root: root).page }
}

/// Renders an OpenAPI document as a web page without scripts.
///
/// All texts of the document are escaped: names in it come from the model. All URLs are relative, so that the page
/// works below any base path.
struct ReferencePage {
  let root: JSONTree

  var page: HTMLPage {
    let title = root["info"]?["title"]?.string ?? ""
    return HTMLPage(title: "\(title): API reference", style: Self.style, body: body(title))
  }

  private func body(_ title: String) -> String {
    let version = root["info"]?["version"]?.string ?? ""
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
      \(HTMLText.prose(root["info"]?["description"]?.string ?? ""))
      </section>
      \(tags.map(section).joined(separator: "\n"))
      \(schemaSections)
      \(sharedSections)
      </main>
      </div>
      """
  }

  private var tags: [(name: String, description: String)] {
    (root["tags"]?.elements ?? []).map { ($0["name"]?.string ?? "", $0["description"]?.string ?? "") }
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
    let places = (root["paths"]?.members ?? []).compactMap { path -> String? in
      let operations = path.value.members.filter { $0.value["tags"]?.elements.contains(.string(tag.name)) ?? false }
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

  private func operation(_ entry: JSONTree.Member, _ shared: [JSONTree]) -> String {
    let operation = entry.value
    let method = HTMLPage.escaped(entry.key.uppercased())
    return """
      <details id="\(HTMLText.id(operation["operationId"]?.string ?? ""))">
      <summary><b class="\(HTMLText.id(entry.key))">\(method)</b> <span>\
      \(HTMLText.inline(operation["summary"]?.string ?? ""))</span></summary>
      \(HTMLText.prose(operation["description"]?.string ?? ""))
      <dl>
      \(parameters(shared + (operation["parameters"]?.elements ?? [])))
      \(body(operation["requestBody"]))
      \(responses(operation["responses"]))
      <dt>Operation</dt><dd>\(HTMLText.code(operation["operationId"]?.string ?? ""))</dd>
      </dl>
      </details>
      """
  }

  private func parameters(_ parameters: [JSONTree]) -> String {
    guard !parameters.isEmpty else { return "" }
    let items = parameters.map { parameter in
      let resolved = resolve(parameter)
      let name = resolved["name"]?.string ?? ""
      if let component = parameter.referencedName {
        return HTMLText.link(to: "parameter-" + component, name)
      }
      return "\(HTMLText.code(name)): \(HTMLText.inline(resolved["description"]?.string ?? ""))"
    }
    return "<dt>Parameters</dt><dd>\(items.joined(separator: ", "))</dd>"
  }

  private func body(_ body: JSONTree?) -> String {
    guard let body else { return "" }
    return (resolve(body)["content"]?.members ?? []).map { media in
      let example = media.value["example"].map(HTMLText.json) ?? ""
      return """
        <dt>Body</dt><dd>\(HTMLText.code(media.key)): \(type(media.value["schema"] ?? [:]))\(example)</dd>
        """
    }.joined(separator: "\n")
  }

  private func responses(_ responses: JSONTree?) -> String {
    let items = (responses?.members ?? []).map { response in
      let resolved = resolve(response.value)
      let status = response.key == "default" ? "otherwise" : response.key
      let content = resolved["content"]?.members.first
      let value = content.flatMap { media in
        media.value["schema"].map {
          type($0) + (media.key == "application/json" ? "" : " as " + HTMLText.code(media.key))
        }
      }
      let name = response.value.referencedName.map { HTMLText.link(to: "response-" + $0, $0) }
      let isListed = sharedResponses.contains { $0.key == response.value.referencedName }
      let text = isListed ? name ?? "" : value ?? HTMLText.inline(resolved["description"]?.string ?? "")
      return "<li><b>\(HTMLPage.escaped(status))</b> \(text)</li>"
    }
    return "<dt>Responses</dt><dd><ul class=\"plain\">\(items.joined())</ul></dd>"
  }

  // MARK: References

  /// Returns the target of a reference. Returns all other nodes unchanged.
  func resolve(_ node: JSONTree) -> JSONTree {
    guard let reference = node["$ref"]?.string else { return node }
    return reference.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null }
  }

  /// The components of a kind.
  func components(_ kind: String) -> [JSONTree.Member] { root["components"]?[kind]?.members ?? [] }

  /// The responses that have a section of their own: those without a JSON value.
  var sharedResponses: [JSONTree.Member] {
    components("responses").filter { $0.value["content"]?["application/json"] == nil }
  }
}
