import BinderyAPI
import BinderyCore
import BinderyJSON
import BinderyModelFile
import BinderyOpenAPI
import BinderyTestKit
import Foundation
import Testing

/// Names and texts that are syntax elsewhere are data in every document. `ReferencePageTests` opens them in a browser.
struct UnusualNameTests {
  private let model: DynamicModel
  private let initial: DynamicValue

  init() throws {
    model = try ModelFile.model(UnusualNames.text)
    initial = try model.initialState()
  }

  private var document: OpenAPIDocument {
    OpenAPIDocument(of: initial, model.definition, title: UnusualNames.names[1], version: "1")
  }

  @Test func `a model file keeps the names`() throws {
    let written = ModelFile.text(of: model.definition.described)
    let parsed = try ModelFile.parse(written)
    #expect(parsed == model.declaration)
    let members = try JSONTree(parsing: String(decoding: written, as: UTF8.self))["properties"]?.members ?? []
    #expect(members.prefix(UnusualNames.names.count).map(\.key).bytes == UnusualNames.names.bytes)
  }

  @Test func `the OpenAPI document has the names in YAML and in JSON`() throws {
    let json = try JSONTree(parsing: try convertedFromYAML(document.yaml))
    let schemas = json["components"]?["schemas"]?.members ?? []
    let root = schemas.first { $0.value["properties"]?["choice"] != nil }?.value
    let members = (root?["properties"]?.members ?? []).prefix(UnusualNames.names.count)
    #expect(members.map(\.key).bytes == UnusualNames.names.bytes)
    #expect(members.map { $0.value["title"]?.plain ?? "" }.bytes == UnusualNames.names.bytes)
    #expect(members.map { $0.value["description"]?.plain ?? "" }.bytes == UnusualNames.names.bytes)
    #expect(json["info"]?["title"]?.plain == UnusualNames.names[1])
  }

  @Test func `the reference page has the names as text`() {
    let page = document.page.text
    #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("onerror=alert(1)>"))
    #expect(page.contains("&lt;/script&gt;&lt;script&gt;document.title="))
    #expect(page.contains("__proto__") && page.contains("${alert(1)}") && page.contains("a\u{2028}b"))
  }

  @Test(arguments: UnusualNames.names)
  func `names, ids and keys are places, also in problems`(_ name: String) throws {
    let client = MemoryClient(Store(initial, of: model.definition, journal: nil))
    let segment = Pointer.escaped(name).utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let text = try client.text("/state/\(segment)")
    #expect(Array(try JSONTree(parsing: text).plain.utf8) == Array(name.utf8))
    for path in ["/state/\(segment)", "/state/items/\(segment)/id", "/state/choice"] {
      #expect(try client.put(path, text).status == (path.hasSuffix("/id") ? 405 : 200))
    }
    #expect(try client.patch("/state/entries/\(segment)", "2").text == "2")
    let payload = try client.put("/state/choice/%2B\(segment)", "true")
    #expect(payload.status == 201)
    for path in ["/state/\(segment)/\(segment)", "/state/items/\(segment)x", "/state/choice/\(segment)", "/\(segment)"]
    {
      for method in ["GET", "PATCH", "PUT"] {
        let reply = try client.send(method, path, method == "GET" ? nil : text)
        #expect(reply.problem != nil || reply.status < 300, "\(reply)")
        #expect(reply.json != nil || reply.status < 300)
      }
    }
  }

  /// A URL cannot have more combining marks in a row (UAX #15 §13).
  @Test func `names and ids with many combining marks are refused, because they have no URL`() throws {
    let element = #"{"type": "object", "properties": {"id": {"type": "string"}}, "x-bindery": {"id": "id"}}"#
    let list = #"{"type": "array", "items": \#(element)}"#
    let text = #"{"type": "object", "properties": {"l": \#(list)}, "additionalProperties": true}"#
    let model = try ModelFile.model(Array(text.utf8))
    let client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
    for (count, statuses) in [(30, [201, 200]), (31, [422, 422])] {
      let name = "x" + String(repeating: "\u{301}", count: count)
      let created = try client.post("/state/l", #"{"id": "\#(name)"}"#)
      let merged = try client.patch("/state", #"{"\#(name)": 1}"#)
      #expect([created.status, merged.status] == statuses, "\(created) \(merged)")
      if let location = created["Location"] { #expect(try client.get(location).status == 200) }
      let file = #"{"type": "object", "properties": {"\#(name)": {"type": "integer", "default": 0}}}"#
      #expect(((try? ModelFile.model(Array(file.utf8))) == nil) == (count > 30))
    }
  }

  /// Returns a document in JSON, converted by PyYAML.
  private func convertedFromYAML(_ yaml: String) throws -> String {
    let script = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin.buffer.read().decode()), sys.stdout)"
    let result = try ChildProcess.run("/usr/bin/python3", ["-c", script], input: yaml)
    #expect(result.code == 0, "\(result.errors)")
    return result.output
  }
}

extension [String] {
  /// The UTF-8 bytes of the strings: `String ==` ignores normalization.
  fileprivate var bytes: [[UInt8]] { map { [UInt8]($0.utf8) } }
}
