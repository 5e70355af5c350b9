import BinderyFuzzTargets
import BinderyJSON
import BinderyOpenAPI
import BinderyTestKit
import Testing

/// The kinds of stored values over HTTP and in the OpenAPI document.
struct SensorTests {
  @Test(arguments: SensorScenarios.all)
  func `the sensor responds as the scenario expects`(_ scenario: Scenario<Sensor>) throws {
    try TestTransport.memory.serve(scenario.root) { client, _ throws in try scenario.check(client) }
  }

  @Test func `the values are canonical JSON`() throws {
    try TestTransport.memory.serve(Sensor()) { client, _ throws in
      try client.patch("/state", ##"{"tags":["b","a",""],"color":"#ABCDEF","interval":"P1D","levels":[9,10,-0]}"##)
        .expect(200)
      #expect(
        try client.get("/state").text == """
          {"gain":1.5,"offset":0.5,"peak":null,"homepage":null,"mirror":null,"firmware":"AQID","key":null,\
          "interval":"PT24H","delay":null,"tags":["","a","b"],"levels":[-0,10,9],"links":[],"mode":"idle","range":null,\
          "modes":[],"color":"#abcdef","share":50}
          """)
    }
  }

  @Test func `a problem names what was expected`() throws {
    try TestTransport.memory.serve(Sensor()) { client, _ throws in
      for (place, json, detail) in [
        ("homepage", #""/a""#, #""/a" is not an absolute URL (RFC 3986), such as "https://example.com/menu""#),
        ("mode", #""x""#, #""x" is not one of "idle", "measuring…", "café""#),
        ("gain", "11", "11 is not a number from 0 to 10"),
        ("firmware", "\"\"", "\"\" is not data of 1 to 64 bytes"), ("tags", #"["a","a"]"#, #""a" is in the set twice"#),
        ("color", "\"red\"", "\"red\" is not a color such as #ff8800"),
      ] {
        #expect(try client.put("/state/\(place)", json).string("detail") == detail + ".")
      }
    }
  }

  @Test func `a set larger than a slice is sent completely`() throws {
    var sensor = Sensor()
    let levels = Set((0..<20_000).map { Double($0) / 7 })
    sensor.levels = levels
    try TestTransport.curl.serve(sensor) { client, _ throws in
      let reply = try client.get("/state/levels")
      let elements = try JSONDocument(parsing: Array(reply.text.utf8)).root.elements
      #expect(Set(elements.compactMap(\.double)) == levels)
      #expect(try client.get("/state/levels", ["If-None-Match": try #require(reply.etag)]).status == 304)
    }
  }
}

struct SensorSchemaTests {
  /// The component schemas of a sensor.
  private let schemas = DescribedModel(Sensor()).components("schemas")

  /// Returns the keywords of a component as JSON, without its description and examples.
  private func keywords(_ name: String) -> String {
    let entries = schemas[name]?.members.filter { $0.key != "examples" && $0.key != "description" } ?? []
    return JSONTree.object(entries).text
  }

  @Test(arguments: [
    ("NullableFloat", #"{"type":["number","null"],"format":"float"}"#),
    ("SensorGain", #"{"type":"number","format":"float","minimum":0,"maximum":10}"#),
    ("SensorOffset", #"{"type":"number","format":"double","minimum":-1,"exclusiveMaximum":1}"#),
    ("Mode", #"{"type":"string","enum":["idle","measuring…","café"]}"#),
    ("Color", #"{"type":"string","pattern":"^#[0-9A-Fa-f]{6}$"}"#),
    ("SensorShare", #"{"type":"integer","format":"int64","minimum":0,"maximum":100}"#),
  ])
  func `a schema has the keywords of its kind`(name: String, expected: String) {
    #expect(keywords(name) == expected)
  }

  @Test func `the schemas name the formats and encodings`() {
    #expect(keywords("URL").hasPrefix(#"{"type":"string","format":"uri","pattern":"^[A-Za-z]"#))
    #expect(keywords("Duration").hasPrefix(#"{"type":"string","format":"duration","pattern":"^-?P"#))
    #expect(keywords("NullableData").hasPrefix(#"{"type":["string","null"],"contentEncoding":"base64","pattern":"#))
    // 1 to 64 bytes are 4 to 88 characters.
    #expect(keywords("SensorFirmware").contains(#""minLength":4,"maxLength":88"#))
    #expect(schemas["SensorFirmware"]?["description"]?.string == "Data in base64 of 1 to 64 bytes.")
    #expect(schemas["Mode"]?["description"]?.string == #"One of `"idle"`, `"measuring…"` and `"café"`."#)
  }

  @Test func `a set is an array of unique items`() {
    #expect(
      keywords("SensorTags")
        == #"{"type":"array","items":{"type":"string"},"uniqueItems":true,"minItems":0,"maxItems":4}"#)
    #expect(
      keywords("ModeSet")
        == ##"{"type":"array","items":{"$ref":"#/components/schemas/Mode"},"uniqueItems":true}"##)
  }

  @Test func `a nullable value with raw values allows null`() {
    #expect(keywords("NullableRange") == #"{"type":["integer","null"],"format":"int64","enum":[1,100,null]}"#)
  }
}
