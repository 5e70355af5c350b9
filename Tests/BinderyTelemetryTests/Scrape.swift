/// A parser of the Prometheus text format that accepts only what the specification allows
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
struct Scrape {
  struct Family {
    let name: String
    let kind: String
    var samples: [Sample] = []
  }

  struct Sample: Hashable {
    let name: String
    let labels: [String: String]
    let value: String

    var number: Double { Double(value) ?? .nan }
  }

  struct Malformed: Error {
    let line: String
    let reason: String
  }

  private(set) var families: [Family] = []

  init(_ text: String) throws(Malformed) {
    guard text.hasSuffix("\n"), !text.contains("\r") else {
      throw Malformed(line: "", reason: "no line feed at the end, or a carriage return")
    }
    var familyName: String?
    for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
      if line.hasPrefix("# HELP "), words.count == 4, Self.isName(words[2]), !words[3].isEmpty {
        familyName = words[2]
      } else if line.hasPrefix("# TYPE "), words.count == 4, words[2] == familyName {
        guard !families.contains(where: { $0.name == familyName }) else {
          throw Malformed(line: line, reason: "duplicate family")
        }
        guard ["counter", "gauge", "histogram"].contains(words[3]) else {
          throw Malformed(line: line, reason: "unknown type")
        }
        families.append(Family(name: words[2], kind: words[3]))
      } else {
        try add(Self.sample(line), line)
      }
    }
    for family in families { try Self.check(family) }
  }

  private mutating func add(_ sample: Sample, _ line: String) throws(Malformed) {
    guard let family = families.last else { throw Malformed(line: line, reason: "sample before a family") }
    let suffixes = family.kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    guard suffixes.contains(where: { sample.name == family.name + $0 }) else {
      throw Malformed(line: line, reason: "not a sample of \(family.name)")
    }
    guard !family.samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels }) else {
      throw Malformed(line: line, reason: "duplicate sample")
    }
    families[families.count - 1].samples.append(sample)
  }

  private static func isName(_ text: String) -> Bool {
    text.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil
  }

  private static func sample(_ line: String) throws(Malformed) -> Sample {
    let pattern = /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?s:.*))\})? (\S+)/
    guard let match = line.wholeMatch(of: pattern) else { throw Malformed(line: line, reason: "malformed sample") }
    let value = String(match.output.3)
    guard value.wholeMatch(of: /-?\d+(\.\d+)?/) != nil else { throw Malformed(line: line, reason: "malformed number") }
    var labels: [String: String] = [:]
    if var remaining = match.output.2 {
      let label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,(?!$)|$)/
      repeat {
        guard let pair = remaining.prefixMatch(of: label), labels[String(pair.output.1)] == nil else {
          throw Malformed(line: line, reason: "malformed or duplicate label")
        }
        labels[String(pair.output.1)] = unescaped(pair.output.2)
        remaining = remaining[pair.range.upperBound...]
      } while !remaining.isEmpty
    }
    return Sample(name: String(match.output.1), labels: labels, value: value)
  }

  private static func unescaped(_ text: Substring) -> String {
    var result = ""
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        result.unicodeScalars.append(scalar == "n" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Checks the naming rules, and that the buckets of a histogram are cumulative.
  private static func check(_ family: Family) throws(Malformed) {
    switch family.kind {
    case "counter":
      guard family.name.hasSuffix("_total"), family.samples.allSatisfy({ $0.number >= 0 }) else {
        throw Malformed(line: family.name, reason: "a counter must end in _total and not be negative")
      }
    case "histogram":
      let series = Dictionary(grouping: family.samples) { $0.labels.filter { $0.key != "le" } }
      for (_, samples) in series {
        let buckets = samples.filter { $0.name.hasSuffix("_bucket") }
        let limits = buckets.map { $0.labels["le"] == "+Inf" ? .infinity : Double($0.labels["le"] ?? "") ?? .nan }
        let counts = buckets.map(\.number)
        let count = samples.first { $0.name.hasSuffix("_count") }?.number
        guard limits.last == .infinity, zip(limits, limits.dropFirst()).allSatisfy({ $0 < $1 }),
          zip(counts, counts.dropFirst()).allSatisfy({ $0 <= $1 }), counts.last == count,
          samples.contains(where: { $0.name.hasSuffix("_sum") })
        else { throw Malformed(line: family.name, reason: "inconsistent histogram") }
      }
    default:
      guard !family.name.hasSuffix("_total") else {
        throw Malformed(line: family.name, reason: "a gauge must not end in _total")
      }
    }
  }

  /// Returns the value of a sample, or 0 if it does not exist, like `or vector(0)` in PromQL.
  func callAsFunction(_ name: String, _ labels: [String: String] = [:]) -> Double {
    for family in families {
      for sample in family.samples where sample.name == name && sample.labels == labels { return sample.number }
    }
    return 0
  }

  /// Returns the sum of all samples with a name.
  func sum(_ name: String) -> Double {
    families.flatMap(\.samples).filter { $0.name == name }.reduce(0) { $0 + $1.number }
  }

  /// Returns the distinct values of a label.
  func values(of label: String, in name: String) -> Set<String> {
    Set(families.flatMap(\.samples).filter { $0.name == name }.compactMap { $0.labels[label] })
  }
}
