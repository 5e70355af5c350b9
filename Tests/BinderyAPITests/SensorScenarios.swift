import BinderyFuzzTargets

/// Scenarios for the kinds of stored values that neither the menu nor the zoo has.
enum SensorScenarios {
  typealias Row = Scenario<Sensor>

  static let all: [Row] = accepted + optionals + rejected + unchanged

  /// A place, and another value for it.
  private static let values = [
    ("gain", "0.1"), ("gain", "10"), ("offset", "-1"), ("offset", "0.9999999999999999"), ("peak", "3.4028235e38"),
    ("peak", "1e-45"), ("homepage", #""HTTPS://EXAMPLE.com/%7e?q#f""#), ("mirror", #"{"some":"urn:x:y"}"#),
    ("mirror/some", "null"), ("firmware", #""/+8=""#), ("key", "\"\""), ("interval", #""-PT0.000000001S""#),
    ("interval", #""P1W2DT3H""#), ("delay", #"{"some":{"some":"PT0S"}}"#), ("delay/some/some", #""PT1S""#),
    ("tags", "[]"),
    ("tags", #"["z","é",""]"#), ("levels", "[10,9,-0,1.5]"), ("links", #"["b:","a:"]"#), ("mode", #""café""#),
    ("range", #"{"some":100}"#), ("range/some", "1"), ("modes", #"["measuring…","café"]"#), ("color", "\"#0000FF\""),
    ("share", "100"),
  ]

  private static let accepted = values.map { path, json in
    // The places of nested optionals do not exist before.
    Row(
      "a new value", Sensor(), "PUT", "/state/\(path)", json, expecting: path.contains("/") ? "201" : "200",
      changed: true)
  }

  private static let optionals: [Row] = [
    Row(
      "a nil optional", Sensor(), "PATCH", "/state", #"{"homepage":"a:b","peak":1}"#, expecting: "200", changed: true),
    Row("nil", Sensor(), "PUT", "/state/homepage", "null", expecting: "200", changed: false),
    Row("below nil", Sensor(), "PATCH", "/state/delay/some", "null", expecting: "409 nil-optional"),
    Row("below nil", Sensor(), "PUT", "/state/delay/some/some", #""PT1S""#, expecting: "201", changed: true),
    Row("below a leaf", Sensor(), "GET", "/state/tags/0", expecting: "404 unknown-path"),
    Row("below a leaf", Sensor(), "GET", "/state/homepage/scheme", expecting: "404 unknown-path"),
    Row("a leaf", Sensor(), "DELETE", "/state/tags", expecting: "405 method-not-allowed"),
    Row(
      "a set is a leaf", Sensor(), "POST", "/state/tags", "\"c\"", expecting: "405 method-not-allowed",
      ["Content-Type": "application/json"]),
  ]

  /// A place, a value that is invalid there, and the pointer to the invalid part.
  private static let invalid = [
    ("gain", "1e39", ""), ("gain", "-0.1", ""), ("gain", "10.1", ""), ("gain", "null", ""), ("gain", "\"1\"", ""),
    ("offset", "1", ""), ("offset", "-1.0001", ""), ("peak", "-1e39", ""), ("homepage", #""/relative""#, ""),
    ("homepage", #""http://[1:2:3]/""#, ""), ("homepage", "1", ""), ("mirror", #"{"some":"x"}"#, "/some"),
    ("firmware", #""AQI""#, ""), ("firmware", #""AQJ=""#, ""), ("firmware", #""AQ ID""#, ""), ("firmware", "\"\"", ""),
    ("firmware", "[1,2]", ""), ("interval", #""P1M""#, ""), ("interval", #""PT0.0000000001S""#, ""),
    ("interval", "1.5", ""),
    ("delay", #"{"some":{"some":"1s"}}"#, "/some/some"), ("tags", #"["a","b","a"]"#, "/2"), ("tags", #"["a",1]"#, "/1"),
    ("tags", #"["1","2","3","4","5"]"#, ""), ("tags", "{}", ""), ("levels", "[0,-0]", "/1"),
    ("links", #"["b:","a"]"#, "/1"),
    ("mode", #""Idle""#, ""), ("mode", #"{"idle":{}}"#, ""), ("range", #"{"some":2}"#, "/some"),
    ("modes", #"["idle","busy"]"#, "/1"), ("color", #""red""#, ""), ("color", "0", ""), ("share", "101", ""),
    ("share", "0.5", ""),
  ]

  private static let rejected = invalid.flatMap { path, json, pointer in
    ["PUT", "PATCH"].map { method in
      Row(
        "an invalid value", Sensor(), method, "/state/\(path)", json, expecting: "422 invalid-value", pointer: pointer)
    } + [
      Row(
        "an invalid member", Sensor(), "PATCH", "/state", "{\"\(path)\":\(json)}", expecting: "422 invalid-value",
        pointer: "/\(path)\(pointer)")
    ]
  }

  /// Other spellings of the initial values.
  private static let unchanged = [
    ("gain", "15e-1"), ("gain", "1.50000000001"), ("offset", "0.50"), ("interval", #""PT1.500S""#),
    ("interval", #""PT0M1.5S""#), ("tags", #"["a","b"]"#), ("tags", #"["b","\u0061"]"#), ("mode", #""\u0069dle""#),
    ("color", "\"#FF8800\""), ("share", "5e1"), ("firmware", #""\u0041QID""#),
  ].map { path, json in
    Row("another spelling", Sensor(), "PUT", "/state/\(path)", json, expecting: "200", changed: false)
  }
}
