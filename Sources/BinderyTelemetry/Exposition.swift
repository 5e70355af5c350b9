/// Metrics as text that Prometheus reads (exposition format 0.0.4,
/// https://prometheus.io/docs/instrumenting/exposition_formats/).
package struct Exposition: Sendable {
  package typealias Labels = KeyValuePairs<String, String>

  package enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// The text so far.
  package private(set) var bytes: [UInt8] = []
  /// Of the family whose samples come next.
  private var name = ""

  package init() {}

  /// Begins a family: what its samples are of stands above them, once.
  ///
  /// - Parameters:
  ///   - name: ends in `_total` for a counter, and before that in its unit.
  ///   - help: one sentence.
  package mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    append("# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n")
  }

  /// Adds a sample of the family.
  ///
  /// - Parameter value: in a unit that is 10^`digits` times smaller than the family's.
  package mutating func sample(_ labels: Labels = [:], _ value: Int, digits: Int = 0) {
    sample("", Self.text(labels), Self.decimal(value, digits: digits))
  }

  /// Adds the samples of a histogram of the family.
  package mutating func sample(_ labels: Labels = [:], _ reading: Histogram.Reading) {
    let labels = Self.text(labels)
    let start = labels.isEmpty ? "" : labels + ","
    let digits = reading.buckets.digits
    var count = 0
    for (index, ones) in reading.counts.enumerated() {
      count += ones
      let limits = reading.buckets.limits
      let limit = index < limits.count ? Self.decimal(limits[index], digits: digits) : "+Inf"
      sample("_bucket", "\(start)le=\"\(limit)\"", String(count))
    }
    sample("_sum", labels, Self.decimal(reading.sum, digits: digits))
    sample("_count", labels, String(count))
  }

  /// A family of one sample without labels.
  package mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int, digits: Int = 0) {
    begin(name, kind, help)
    sample([:], value, digits: digits)
  }

  /// A family of one histogram without labels.
  package mutating func single(_ name: String, _ help: String, _ reading: Histogram.Reading) {
    begin(name, .histogram, help)
    sample([:], reading)
  }

  private mutating func sample(_ suffix: String, _ labels: String, _ value: String) {
    append(name)
    append(suffix)
    if !labels.isEmpty {
      append("{")
      append(labels)
      append("}")
    }
    append(" ")
    append(value)
    append("\n")
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private static func text(_ labels: Labels) -> String {
    labels.map { "\($0.key)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
  }

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

  /// A whole number of 10^-digits, exactly and without zeros at the end: 250000 with 9 digits is `0.00025`.
  static func decimal(_ value: Int, digits: Int) -> String {
    guard digits > 0 else { return String(value) }
    var metrics = Array(String(value.magnitude).utf8)
    while metrics.count <= digits { metrics.insert(UInt8(ascii: "0"), at: 0) }
    var fraction = metrics.suffix(digits)
    while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
    let whole = metrics.dropLast(digits)
    let text = String(decoding: whole, as: UTF8.self)
    let signed = value < 0 ? "-" + text : text
    return fraction.isEmpty ? signed : signed + "." + String(decoding: fraction, as: UTF8.self)
  }
}
