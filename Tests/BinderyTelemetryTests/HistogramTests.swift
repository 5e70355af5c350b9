import BinderyTelemetry
import BinderyTestKit
import BindingLaws
import Testing

/// The counting of values in buckets.
struct HistogramTests {
  @Test func `every value is counted in one bucket`() {
    let histogram = Histogram(.times)
    var random = SeededGenerator(seed: 7)
    var sum = 0
    for _ in 0..<1_000 {
      let value = Int.random(in: 0...20_000_000_000, using: &random)
      histogram.observe(value)
      sum += value
    }
    let reading = histogram.reading
    #expect(reading.count == 1_000)
    #expect(reading.counts.reduce(0, +) == 1_000)
    #expect(reading.sum == sum)
  }

  @Test func `an upper bound is inclusive`() {
    let histogram = Histogram(Histogram.Buckets([10, 20], digits: 0))
    for value in [0, 10, 11, 20, 21] { histogram.observe(value) }
    #expect(histogram.reading.counts == [2, 2, 1])
  }

  @Test func `readings can be added`() {
    let first = Histogram(.sizes)
    let second = Histogram(.sizes)
    first.observe(1)
    second.observe(1)
    second.observe(1_000_000)
    var sum = Histogram.Reading(.sizes)
    sum += first.reading
    sum += second.reading
    #expect(sum.count == 3)
    #expect(sum.sum == 1_000_002)
    #expect(sum.counts.first == 2)
    #expect(sum.counts.last == 1)
  }
}
