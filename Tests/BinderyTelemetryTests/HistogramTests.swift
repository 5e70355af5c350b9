import BinderyTelemetry
import BinderyTestKit
import Testing

struct HistogramTests {
  @Test func `the buckets hold every value once`() {
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

  @Test func `a limit belongs to the bucket that it ends`() {
    let histogram = Histogram(Histogram.Buckets([10, 20], digits: 0))
    for value in [0, 10, 11, 20, 21] { histogram.observe(value) }
    #expect(histogram.reading.counts == [2, 2, 1])
  }

  @Test func `readings of several loops add up`() {
    let one = Histogram(.sizes)
    let other = Histogram(.sizes)
    one.observe(1)
    other.observe(1)
    other.observe(1_000_000)
    var sum = Histogram.Reading(.sizes)
    sum += one.reading
    sum += other.reading
    #expect(sum.count == 3)
    #expect(sum.sum == 1_000_002)
    #expect(sum.counts.first == 2)
    #expect(sum.counts.last == 1)
  }
}
