import BinderyCore
import BinderyJSON
import BindingLaws
import FoundationEssentials
import Testing

struct URLTests {
  @Test(arguments: [
    "https://example.com/menu", "HTTP://EXAMPLE.com/%7e?a=b#c", "mailto:a@b", "a:", "urn:x:y", "x+1-.y:z", "x:?q",
    "x:#f",
    "http:///x", "http://", "x:/..//a", "x://u:p@h:/", "http://h:99999999999999999999/", "http://a_b/", "x:a:b@c",
    "http://[::1]:80/", "http://[::]/", "http://[1:2:3:4:5:6:7:8]", "http://[1:2:3:4:5:6:192.0.2.1]/", "http://[1::8]",
    "http://[::ffff:1.2.3.4]/", "http://[1:2:3:4:5:6:7::]", "http://[v1.a:b]/", "file:///a", "data:,a%00%FF", "x:/?#",
    "http://!$&'()*+,;=/!$&'()*+,;=:@?!$&'()*+,;=:@/?#!$&'()*+,;=:@/?",
  ])
  func `an absolute URL is kept as it was written`(text: String) throws {
    #expect(try Draft<URL>(json: "\"\(text)\"").json == "\"\(text)\"")
  }

  @Test(arguments: [
    "", "foo", "/a/b", "//host/path", "?q", "#f", "1x:a", ":a", "é:a", "http://a b/", "http://é/", "http://a/%zz",
    "x:%4",
    "x:%", "x:a[d]", "x:a#b#c", "http://[1:2:3]/", "http://[1:2:3:4:5:6:7:8:9]/", "http://[1::2::3]/", "http://[:::]/",
    "http://[1:2:3:4:5:6:7:8::]/", "http://[12345::]/", "http://[::1.2.3.256]/", "http://[::1.2.3]/",
    "http://[::01.2.3.4]/",
    "http://[1.2.3.4::]/", "http://[::1", "http://[]/", "http://[v.a]/", "http://[v1.]/", "http://[::1]a/",
    "http://a:b/",
    "http://a@b@c/", "http://[fe80::1%25en0]/", "x:\\\\", "x:\\\"", "x:<a>", "x:{a}", "x:^", "x:`", "x:|", "x: ",
    " x:a",
    "x:a\\n", "x:\\u0000", "ｘ:a", "x:\u{212A}",
  ])
  func `a text that is not an absolute URL of RFC 3986 is invalid`(text: String) throws {
    let error = #expect(throws: ValidationError.self) { try Draft<URL>(json: "\"\(text)\"") }
    #expect(error?.expected == "an absolute URL (RFC 3986), such as \"https://example.com/menu\"")
  }

  @Test(arguments: ["null", "1", "true", "[]", "{}", "[\"a:b\"]"])
  func `JSON that is not a string is invalid`(json: String) {
    #expect(throws: ValidationError.self) { try Draft<URL>(json: json) }
  }

  @Test func `URLs are compared by bytes`() throws {
    let urls = try ["http://a", "HTTP://a", "http://a/", "http://a/%7e", "http://a/%7E", "http://a/~"].map {
      try #require(URL(string: $0))
    }
    for (index, a) in urls.enumerated() {
      for (other, b) in urls.enumerated() { #expect(URL.shape.areSame(a, b) == (index == other), "\(a) \(b)") }
    }
  }

  @Test func `a relative URL from Swift code is rejected`() throws {
    let relative = try #require(URL(string: "foo"))
    #expect(throws: ValidationError.self) { try URL.shape.check(relative) }
    // Nothing is checked again that is still the same value.
    #expect(throws: Never.self) { try URL.shape.check(relative, since: relative) }
    #expect(throws: ValidationError.self) { try URL.shape.check(relative, since: URL(string: "http://a")) }
    let resolved = try #require(URL(string: "foo", relativeTo: URL(string: "http://a/b/c")))
    #expect(throws: Never.self) { try URL.shape.check(resolved) }
    #expect(Draft(resolved).json == "\"http://a/b/foo\"")
  }

  @Test func `arbitrary text never traps, and an accepted text is kept`() {
    var random = SeededGenerator(seed: 3)
    let characters = Array("ab:/?#[]@%4Fv.1é\u{0} ::%%//")
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...14, using: &random)).map { _ in characters.randomElement(using: &random)! })
      let json = JSONTree.string("x:" + text).text
      if let draft = try? Draft<URL>(json: json) { #expect(draft.json == json) }
    }
  }
}
