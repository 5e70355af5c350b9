import BinderyCore
import FoundationEssentials
import Testing

struct DataTests {
  @Test(
    arguments: [
      ("", []), ("AA==", [0]), ("AAA=", [0, 0]), ("/+8=", [255, 239]), ("AQID", [1, 2, 3]), ("////", [255, 255, 255]),
    ] as [(String, [UInt8])])
  func `data is base64 with padding`(text: String, bytes: [UInt8]) throws {
    let draft = try Draft<Data>(json: "\"\(text)\"")
    #expect(Array(draft.root) == bytes)
    #expect(draft.json == "\"\(text)\"")
  }

  @Test(arguments: [
    "A", "AA", "AAA", "AA=", "A===", "====", "AAAA=", "AAAA====", "AA==AA==", "AA==AAAA", "=AAA", "A=AA", "AB==",
    "AAB=",
    "AA==\\n", " AA==", "AA ==", "AQ ID", "AQ\\r\\nID", "-_8=", "A*==", "AA\\u0000=", "ÄA==", "\u{212A}A==",
  ])
  func `any other text is invalid`(text: String) {
    let error = #expect(throws: ValidationError.self) { try Draft<Data>(json: "\"\(text)\"") }
    #expect(error?.expected?.hasPrefix("base64 with padding") == true)
  }

  @Test func `every length and every byte round-trips`() throws {
    for count in 0...257 {
      let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 73) })
      #expect(try Draft<Data>(json: Draft(data).json).root == data)
    }
    let slice = Data([1, 2, 3, 4])[1...2]
    #expect(Data.shape.areSame(slice, Data([2, 3])))
    #expect(Draft(slice).json == "\"AgM=\"")
  }
}
