import BinderyCore
import BinderyModelFile
import BinderyTestKit
import Testing

/// A JSON Patch names an element by its id, in any spelling, by its index, or through a computed member.
struct NamedElementTests {
  private static let ids = ["a", "b", "c"].map { "00000000-0000-8000-8000-00000000000\($0)" }
  private let client: MemoryClient<DynamicValue>

  init() throws {
    let rows = Self.ids.map { #"{"id": "\#($0)", "names": {"k": 1}, "parts": [{"id": "\#($0)"}]}"# }
    let id = #"{"type": "string", "format": "uuid"}"#
    let text = """
      {"type": "object", "properties": {"list": {"type": "array", "items": {"type": "object", "properties": {\
      "id": \(id), "n": {"type": "integer", "default": 0}, \
      "names": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "integer"}}, \
      "parts": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"id": \(id)}, \
      "required": ["id"], "x-bindery": {"id": "id"}}}}, "required": ["id", "names", "parts"], \
      "x-bindery": {"id": "id"}}}, "view": {"x-bindery": {"alias": "/list"}}}, "required": ["list"], \
      "default": {"list": [\(rows.joined(separator: ", "))]}}
      """
    let model = try ModelFile.model(Array(text.utf8))
    client = MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
  }

  private func patch(_ operations: String) throws -> Reply {
    let text = operations.replacing("/A", with: "/" + Self.ids[0]).replacing("D", with: Self.ids[0].dropLast() + "d")
      .replacing("UPPER", with: Self.ids[0].uppercased())
    let fields: KeyValuePairs = ["Content-Type": "application/json-patch+json", "Prefer": "handling=strict"]
    return try client.send("PATCH", "/state", text, fields)
  }

  @Test(arguments: [
    #"[{"op":"move","from":"/view/A","path":"/view/2"}]"#, #"[{"op":"move","from":"/view/A","path":"/view/-"}]"#,
    #"[{"op":"move","from":"/view/0","path":"/view/2"}]"#,
    #"[{"op":"replace","path":"/view/A/n","value":5},{"op":"replace","path":"/view/0/n","value":6}]"#,
    #"[{"op":"replace","path":"/view/0/n","value":5},{"op":"replace","path":"/view/A/n","value":6}]"#,
  ])
  func `a write through a computed member is kept, however its elements are named`(_ operations: String) throws {
    let reply = try patch(operations)
    #expect(reply.status == 200 && reply["Write-Outcome"] == nil, "\(reply)")
  }

  @Test(arguments: [
    #"[{"op":"add","path":"/view/-","value":{"id":"D","names":{"k":1},"parts":[{"id":"D"}]}},"#
      + #"{"op":"remove","path":"/list/D"}]"#,
    #"[{"op":"add","path":"/view/1","value":{"id":"D","names":{"k":1},"parts":[{"id":"D"}]}},"#
      + #"{"op":"remove","path":"/list/D"}]"#,
    #"[{"op":"replace","path":"/view/0/n","value":5},{"op":"remove","path":"/list/1"},"#
      + #"{"op":"replace","path":"/list/A/n","value":6}]"#,
  ])
  func `a write that a later operation takes back is reported, however its elements are named`(
    _ operations: String
  ) throws {
    let reply = try patch(operations)
    #expect(reply.outcome == "409 write-not-kept" && reply.member("operation") == "0", "\(reply)")
  }

  @Test func `a move within a collection of the minimum size may name its parent in two ways`() throws {
    for (from, path) in [
      ("/list/A/names/k", "/list/0/names/l"), ("/list/0/parts/0", "/list/A/parts/-"),
      ("/list/A/parts/0", "/list/UPPER/parts/-"),
    ] {
      let operation = #"[{"op":"move","from":"\#(from)","path":"\#(path)"}]"#
      let reply = try patch(operation)
      #expect(reply.status == 200, "\(operation): \(reply)")
    }
  }

  @Test func `a key that differs from another one in normalization is a mistake of the path`() throws {
    #expect(try client.put("/state/list/\(Self.ids[0])/names/%C3%A9", "1").status == 201)
    let reply = try client.put("/state/list/\(Self.ids[0])/names/e%CC%81", "1")
    #expect(reply.outcome == "422 duplicate-member" && reply.string("pointer")?.isEmpty == true, "\(reply)")
  }
}
