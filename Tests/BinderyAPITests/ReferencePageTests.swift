import BinderyAPI
import BinderyJSON
import BinderyMenu
import BinderyOpenAPI
import Testing

/// The reference page of a model.
struct ReferencePageTests {
  @Test(arguments: DescribedModel.all)
  func `the page contains each operation and each schema of the document`(_ model: DescribedModel) {
    let text = model.document.page.text
    for id in model.operationIDs { #expect(text.contains("<details id=\"\(id)\">"), "\(id)") }
    for name in model.components("schemas").keys {
      #expect(text.contains("<article id=\"schema-\(name)\">"), "\(name)")
    }
  }

  @Test(arguments: DescribedModel.all)
  func `all links lead to elements of the page or to neighboring documents`(_ model: DescribedModel) {
    let text = model.document.page.text
    let ids = text.matches(of: /\bid="([^"]*)"/).map { String($0.1) }
    #expect(Set(ids).count == ids.count)
    for link in text.matches(of: /\b(?:href|src)="([^"]*)"/).map({ String($0.1) }) {
      // A relative URL also works below a base path.
      #expect(link == "openapi.yaml" || (link.hasPrefix("#") && ids.contains(String(link.dropFirst()))), "\(link)")
    }
  }

  @Test func `texts of the model are escaped`() {
    let document = OpenAPIDocument(of: Namesakes(), title: "<i>&\"'", version: "</title>")
    let text = document.page.text
    #expect(text.contains("&lt;script&gt;&amp;&quot;&#39;"))
    #expect(text.contains("<title>&lt;i&gt;&amp;&quot;&#39;: API reference</title>"))
    for markup in ["<script", "<u>", "<i>&", "</title><"] { #expect(!text.contains(markup), "\(markup)") }
  }

  @Test func `the page needs no script, and its policy allows its own style only`() {
    let page = DescribedModel(Menu.example).document.page
    #expect(!page.text.contains("<script") && !page.text.contains("style=\""))
    #expect(page.policy.hasPrefix("default-src 'none'; "))
    #expect(page.policy.contains("style-src 'sha256-") && !page.policy.contains("script-src"))
  }

  @Test(arguments: [
    ("a `code` b", "<p>a <code>code</code> b</p>"), ("stray ` mark", "<p>stray ` mark</p>"),
    ("`<b>` & c", "<p><code>&lt;b&gt;</code> &amp; c</p>"), ("one\n\ntwo", "<p>one</p>\n<p>two</p>"),
    ("- a\n- `b`", "<ul><li>a</li><li><code>b</code></li></ul>"), ("a `b` `c", "<p>a <code>b</code> `c</p>"),
  ])
  func `descriptions become paragraphs, lists and code`(text: String, html: String) {
    #expect(HTMLText.prose(text) == html)
  }
}
