import BinderyCore
import BinderyModelFile
import BinderyTestKit
import Testing

/// Collections in objects that clients send back, and collections with similar names.
struct NumberedCollectionTests {
  private static let collection = """
    {"type": "array", "items": {"type": "object", "properties": {\
    "id": {"type": "integer", "x-bindery": {"generated": true}}}, "x-bindery": {"id": "id"}}}
    """

  private func client(_ properties: String, _ initial: String) throws -> MemoryClient<DynamicValue> {
    let text = #"{"type": "object", "properties": {\#(properties)}, "default": \#(initial)}"#
    let model = try ModelFile.model(Array(text.utf8))
    return MemoryClient(Store(try model.initialState(), of: model.definition, journal: nil))
  }

  @Test func `an object that is sent back keeps the largest id of its collections`() throws {
    let shelf = """
      {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}, \
      "books": \(Self.collection)}, "required": ["id"], "x-bindery": {"id": "id"}}}
      """
    let client = try client("\"shelves\": \(shelf)", #"{"shelves": [{"id": "a", "books": [{"id": 4}, {"id": 9}]}]}"#)
    #expect(try client.put("/state", try client.text("/state")).changed == false)
    #expect(try client.delete("/state/shelves/a/books/9").status == 204)
    #expect(try client.put("/state/shelves", try client.text("/state/shelves")).changed == false)
    #expect(try client.post("/state/shelves/a/books", "{}").text == #"{"id":10}"#)
  }

  @Test func `collections whose names differ only in Unicode normalization are numbered separately`() throws {
    let client = try client(
      "\"é\": \(Self.collection), \"e\u{301}\": \(Self.collection)", "{\"é\": [{\"id\": 7}], \"e\u{301}\": []}")
    #expect(try client.post("/state/%C3%A9", "{}").text == #"{"id":8}"#)
    #expect(try client.post("/state/e%CC%81", "{}").text == #"{"id":1}"#)
  }
}
