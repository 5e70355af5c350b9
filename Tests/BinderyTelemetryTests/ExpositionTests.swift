import BinderyTelemetry
import Testing

/// The Prometheus text format that ``Exposition`` writes.
struct ExpositionTests {
  private func text(_ write: (inout Exposition) -> Void) -> String {
    var exposition = Exposition()
    write(&exposition)
    return String(decoding: exposition.bytes, as: UTF8.self)
  }

  @Test func `a metric family has a help line, a type line and samples`() {
    let text = text {
      $0.begin("doors_opened_total", .counter, "How often.")
      $0.sample(["door": "front"], 3)
      $0.single("room_seconds", .gauge, "How long.", 1_250_000, digits: 9)
    }
    #expect(
      text == """
        # HELP doors_opened_total How often.
        # TYPE doors_opened_total counter
        doors_opened_total{door="front"} 3
        # HELP room_seconds How long.
        # TYPE room_seconds gauge
        room_seconds 0.00125

        """)
  }

  @Test func `the buckets of a histogram are cumulative`() throws {
    let histogram = Histogram(Histogram.Buckets([500_000, 1_000_000_000], digits: 9))
    for value in [1, 500_000, 2_000_000, 5_000_000_000] { histogram.observe(value) }
    let text = text { $0.single("wait_seconds", "How long.", histogram.reading) }
    #expect(
      text == """
        # HELP wait_seconds How long.
        # TYPE wait_seconds histogram
        wait_seconds_bucket{le="0.0005"} 2
        wait_seconds_bucket{le="1"} 3
        wait_seconds_bucket{le="+Inf"} 4
        wait_seconds_sum 5.002500001
        wait_seconds_count 4

        """)
    _ = try Scrape(text)
  }

  @Test(arguments: ["", "\"", "\\", "\n", "a\\n\"b\"\n\\", "{}=,", "é🍝\u{2028}"])
  func `a label value may contain any text`(_ value: String) throws {
    let text = text {
      $0.begin("a_total", .counter, "Help \\ with\na line's end.")
      $0.sample(["one": value, "other": "x"], 1)
    }
    #expect(try Scrape(text).families[0].samples[0].labels == ["one": value, "other": "x"])
  }

  @Test func `numbers are written exactly`() {
    let cases: [(Int, Int, String)] = [
      (0, 9, "0"), (1, 9, "0.000000001"), (1_000_000_000, 9, "1"), (-1_500, 3, "-1.5"), (42, 0, "42"),
      (Int.max, 9, "9223372036.854775807"), (Int.min, 9, "-9223372036.854775808"),
    ]
    for (value, digits, expected) in cases {
      #expect(text { $0.single("x", .gauge, "X.", value, digits: digits) }.hasSuffix("x \(expected)\n"))
    }
  }

  @Test(arguments: [
    "a 1\n", "# HELP a A.\n# TYPE a gauge\na 1", "# HELP a A.\n# TYPE a gauge\na{b=\"\n\"} 1\n",
    "# HELP a A.\n# TYPE a gauge\na{b=\"x\",} 1\n", "# HELP a A.\n# TYPE a gauge\nb 1\n",
    "# HELP a A.\n# TYPE a counter\na 1\n", "# HELP a A.\n# TYPE a gauge\na 1\na 2\n",
    "# HELP a A.\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
  ])
  func `the metrics parser of the tests rejects invalid text`(_ text: String) {
    #expect(throws: Scrape.Malformed.self) { try Scrape(text) }
  }
}
