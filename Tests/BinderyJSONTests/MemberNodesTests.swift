import BinderyJSON
import Testing

@Suite struct MemberNodesTests {
  private let names = NameList(["a", nil, "été", "c"])

  @Test(arguments: [
    ("{}", [nil, nil, nil, nil]),
    (#"{"a":1,"été":[2,{"c":0}],"c":{"a":3}}"#, ["1", nil, #"[2,{"c":0}]"#, #"{"a":3}"#]),
    (#"{"c":1,"a":2}"#, ["2", nil, nil, "1"]),
    (#"{"\u00e9t\u00e9":1,"\u0061":2}"#, ["2", nil, "1", nil]),
  ])
  func `values come in the order of the names`(text: String, expected: [String?]) throws {
    let found = try members(text, names)
    #expect((0..<names.count).map { found[$0].map { String(decoding: $0.text, as: UTF8.self) } } == expected)
    #expect(found.others.isEmpty)
  }

  @Test func `unknown and duplicate members are separate, in source order`() throws {
    let found = try members(#"{"x":{"a":1},"a":2,"\u0061":3,"":4,"c":5,"c":6,"ete":7}"#, names)
    #expect((0..<names.count).map { found[$0]?.integer() } == [.value(2), nil, nil, .value(5)])
    #expect(found.others.map { $0.name.string } == ["x", "a", "", "c", "ete"])
    #expect(found.others.map(\.position) == [nil, 0, nil, 3, nil])
  }

  @Test(arguments: [15, 16, 17, 40])
  func `an object can have many members`(count: Int) throws {
    let names = NameList((0..<count).map { "m\($0)" })
    let list = (0..<count).reversed().filter { $0 % 3 != 0 }.map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
    let found = try members("{\(list)}", names)
    for index in 0..<count {
      #expect(found[index]?.integer() == (index % 3 == 0 ? nil : .value(Int64(index))))
    }
  }

  @Test func `a combining character is not the composed one`() throws {
    #expect(try members("{\"e\u{301}te\u{301}\":1}", names).others.count == 1)
  }

  @Test(arguments: ["[1,2]", "null", "1", #""a""#]) func `other values have no members`(text: String) throws {
    let nodes = try members(text, names)
    let found = (0..<names.count).filter { nodes.contains($0) }
    let others = nodes.others.count
    #expect(found.isEmpty && others == 0)
  }

  @Test(arguments: [#"{"b":1}"#, #"{"\u0062":1}"#]) func `an only member is found by its name`(text: String) throws {
    let node = try parsed(text)
    let only = try #require(node.onlyMember(named: NameList(["a", "b"])))
    #expect(only.position == 1)
    #expect(node.value(at: only.value).text == [UInt8(ascii: "1")])
  }

  @Test(arguments: ["{}", #"{"c":1}"#, #"{"a":1,"b":2}"#, #"{"a":1,"a":2}"#, #"["a"]"#, #""a""#, "null"])
  func `other values have no only member of a list`(text: String) throws {
    #expect(try parsed(text).onlyMember(named: NameList(["a", "b"])) == nil)
  }

  /// Reads the members of an object.
  private func members(_ text: String, _ names: NameList) throws -> MemberNodes {
    try parsed(text).members(named: names)
  }
}
