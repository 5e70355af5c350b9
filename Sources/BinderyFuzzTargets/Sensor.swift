package import BinderyCore
package import FoundationEssentials

/// A model with every kind of stored value that the menu does not have, for fuzz targets and tests.
package struct Sensor: StateModel, Equatable {
  package var gain: Float
  package var offset = 0.5
  package var peak: Float?
  package var homepage: URL?
  package var mirror: URL??
  package var firmware = Data([1, 2, 3])
  package var key: Data?
  package var interval: Duration = .milliseconds(1500)
  package var delay: Duration???
  package var tags: Set<String> = ["b", "a"]
  package var levels: Set<Double>?
  package var links: Set<URL> = []
  package var mode = Mode.idle
  package var range: Range??
  package var modes: Set<Mode> = []
  package var color = Color(red: 255, green: 136, blue: 0)
  package var share = Percent(points: 50)

  package enum Mode: String, CaseIterable, Editable {
    case idle
    case measuring = "measuring…"
    case café
    package static let shape = EditableShape<Mode>.rawValues()
  }

  package enum Range: Int, CaseIterable, Editable {
    case narrow = 1
    case wide = 100
    package static let shape = EditableShape<Range>.rawValues()
  }

  /// A custom scalar that is a string in JSON, in either case and canonically in lower case.
  package struct Color: Hashable, Editable {
    package var red, green, blue: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }

    init?(hex: String) {
      let digits = hex.utf8.dropFirst()
      guard hex.utf8.first == UInt8(ascii: "#"), digits.count == 6, digits.allSatisfy({ $0 != UInt8(ascii: "+") }),
        let number = Int(String(hex.dropFirst()), radix: 16)
      else { return nil }
      self.init(red: UInt8(number >> 16), green: UInt8(number >> 8 & 255), blue: UInt8(number & 255))
    }

    var hex: String {
      let number = Int(red) << 16 | Int(green) << 8 | Int(blue)
      let digits = String(number, radix: 16)
      return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    package static let shape = EditableShape<Color>.scalar(
      "Color", as: String.self, pattern: "^#[0-9A-Fa-f]{6}$", examples: ["#ff8800", "#000000", "#ffffff"],
      expected: "a color such as #ff8800", encode: \.hex, decode: Color.init(hex:))
  }

  /// A custom scalar that is an integer in JSON.
  package struct Percent: Hashable, Editable {
    package var points: Int

    package init(points: Int) { self.points = points }

    package static let shape = EditableShape<Percent>.scalar(
      "Percent", as: Int.self, .within(0...100), examples: [50, 0, 100], expected: "a percentage",
      encode: \.points, decode: Percent.init(points:))
  }

  package static let shape = EditableShape<Sensor>.members(
    Sensor.init(
      gain:offset:peak:homepage:mirror:firmware:key:interval:delay:tags:levels:links:mode:range:modes:color:share:),
    StoredMember("gain", \.gain, .within(0...10)),
    StoredMember("offset", \.offset, .within(-1..<1)),
    StoredMember("peak", \.peak),
    StoredMember("homepage", \.homepage),
    StoredMember("mirror", \.mirror),
    StoredMember("firmware", \.firmware, .count(1...64)),
    StoredMember("key", \.key),
    StoredMember("interval", \.interval),
    StoredMember("delay", \.delay),
    StoredMember("tags", \.tags, .count(0...4)),
    StoredMember("levels", \.levels),
    StoredMember("links", \.links),
    StoredMember("mode", \.mode),
    StoredMember("range", \.range),
    StoredMember("modes", \.modes),
    StoredMember("color", \.color),
    StoredMember("share", \.share))
}

extension Sensor {
  package init() { self.init(gain: 1.5) }
}
