import BinderyText

/// A writer of metrics in the Prometheus text format, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
package struct Exposition: Sendable {
  /// The labels of one sample, in the order in which they are written.
  package typealias Labels = KeyValuePairs<String, String>

  /// The type of a metric family, as written in its `# TYPE` line.
  package enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  /// The media type of the text format.
  package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// The text written so far, in UTF-8.
  package private(set) var bytes: [UInt8] = []
  /// The name of the current metric family.
  private var name = ""

  /// One line of the text.
  package struct Sample: Sendable {
    package let name: String
    package let labels: [(String, String)]
    package let value: Double
  }

  /// The samples written so far, if they are recorded.
  package private(set) var samples: [Sample] = []
  private let recordsSamples: Bool

  /// Creates a writer without any metrics.
  ///
  /// - Parameter recordsSamples: Whether ``samples`` gets each sample.
  package init(recordsSamples: Bool = false) { self.recordsSamples = recordsSamples }

  /// Begins a metric family: writes its `# HELP` and `# TYPE` lines. The samples that follow belong to it.
  ///
  /// - Parameters:
  ///   - name: The metric name. It contains the unit, and the name of a counter ends in `_total`.
  ///   - kind: The metric type.
  ///   - help: A one-sentence description.
  package mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    append("# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n")
  }

  /// Writes one sample of the current metric family.
  ///
  /// - Parameters:
  ///   - labels: The labels of the sample.
  ///   - value: The value, in a unit that is 10^`digits` times smaller than the unit of the family.
  ///   - digits: The number of decimal places; 9 writes nanoseconds as seconds.
  package mutating func sample(_ labels: Labels = [:], _ value: Int, digits: Int = 0) {
    sample("", Array(labels), Self.decimal(value, digits: digits))
  }

  /// Writes a histogram of the current metric family: its cumulative buckets, its sum and its count.
  package mutating func sample(_ labels: Labels = [:], _ reading: Histogram.Reading) {
    let labels = Array(labels)
    let digits = reading.buckets.digits
    let upperBounds = reading.buckets.upperBounds
    var cumulativeCount = 0
    for (index, count) in reading.counts.enumerated() {
      cumulativeCount += count
      let upperBound = index < upperBounds.count ? Self.decimal(upperBounds[index], digits: digits) : "+Inf"
      sample("_bucket", labels + [("le", upperBound)], String(cumulativeCount))
    }
    sample("_sum", labels, Self.decimal(reading.sum, digits: digits))
    sample("_count", labels, String(cumulativeCount))
  }

  /// Writes a metric family that has one sample without labels.
  package mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int, digits: Int = 0) {
    begin(name, kind, help)
    sample([:], value, digits: digits)
  }

  /// Writes a metric family that has one histogram without labels.
  package mutating func single(_ name: String, _ help: String, _ reading: Histogram.Reading) {
    begin(name, .histogram, help)
    sample([:], reading)
  }

  private mutating func sample(_ suffix: String, _ labels: [(key: String, value: String)], _ value: String) {
    if recordsSamples {
      samples.append(Sample(name: name + suffix, labels: labels.map { ($0, $1) }, value: Double(value) ?? 0))
    }
    let list = labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",")
    append(name + suffix + (list.isEmpty ? "" : "{\(list)}") + " \(value)\n")
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Returns a multiple of 10^-`digits` as an exact decimal without trailing zeros.
  ///
  /// For example, 250000 with 9 digits is `0.00025`.
  static func decimal(_ value: Int, digits: Int) -> String {
    guard digits > 0 else { return String(value) }
    var text: [UInt8] = value < 0 ? [UInt8(ascii: "-")] : []
    text.append(decimal: UInt64(value.magnitude), width: digits + 1)
    text.insert(UInt8(ascii: "."), at: text.count - digits)
    while text.last == UInt8(ascii: "0") { text.removeLast() }
    if text.last == UInt8(ascii: ".") { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }
}
