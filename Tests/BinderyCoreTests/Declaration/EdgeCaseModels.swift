import BinderyCore
import FoundationEssentials

/// Optionals in optionals in optionals, of a scalar, a struct and an enum.
struct Layers: Bindable, Equatable {
  var one: Int?
  var two: Int??
  var three: Int???
  var point: Point???
  var light: Light??

  static let shape = Shape<Layers>.members(
    Layers.init, Member("one", \.one), Member("two", \.two), Member("three", \.three), Member("point", \.point),
    Member("light", \.light))
}

struct Point: Bindable, Equatable {
  var x: Int
  var y: Double

  static let shape = Shape<Point>.members(Point.init, Member("x", \.x, .within(-10...10)), Member("y", \.y))
}

/// An enum whose payloads are optionals of enums.
enum Light: Bindable, Equatable {
  case off
  case dimmed(Dimmer?)
  case colored(name: String, at: Point)
  case mixed([Light.Tone])

  enum Tone: Bindable, Equatable {
    case warm, cold
    case exact(Int)

    static let shape = Shape<Tone>.cases(
      Case("warm", Tone.warm),
      Case("cold", Tone.cold),
      Case("exact", Tone.exact, .within(1000...10_000)) { if case .exact(let kelvin) = $0 { kelvin } else { nil } })
  }

  enum Dimmer: Bindable, Equatable {
    case level(Tone??)
    case program(String?)

    static let level = Case("level", Dimmer.level) { if case .level(let it) = $0 { .some(it) } else { nil } }
    static let program = Case("program", Dimmer.program) { if case .program(let it) = $0 { .some(it) } else { nil } }
    static let shape = Shape<Dimmer>.cases(level, program)
  }

  static let dimmed = Case("dimmed", Light.dimmed) { if case .dimmed(let it) = $0 { .some(it) } else { nil } }
  static let colored = Case(
    "colored", labels: Colored.shape, { Light.colored(name: $0.name, at: $0.at) },
    extract: { if case .colored(let name, let at) = $0 { Colored(name: name, at: at) } else { nil } })
  static let shape = Shape<Light>.cases(
    Case("off", Light.off),
    dimmed, colored,
    Case("mixed", Light.mixed) { if case .mixed(let it) = $0 { it } else { nil } })

  struct Colored: Bindable, Equatable {
    var name: String
    var at: Point

    static let shape = Shape<Colored>.members(Colored.init, Member("name", \.name), Member("at", \.at))
  }
}

/// An enum without cases, which has no values.
enum Uninhabited: Bindable, Equatable {
  static let shape = Shape<Uninhabited>.cases()
}

/// Members of a type without values.
struct UninhabitedParts: Bindable, Equatable {
  var nothing: Uninhabited?
  var many: [Uninhabited]

  static let shape = Shape<UninhabitedParts>.members(
    UninhabitedParts.init, Member("nothing", \.nothing), Member("many", \.many))
}

/// Dictionaries with every type of key, arrays, and a member name that needs escapes.
struct Shelf: Bindable {
  var byName: [String: Point]
  var byNumber: [Int: String?]
  var byID: [UUID: [String: Bool]]
  var byDay: [Day: Date]
  var grid: [[Int]]
  var maybe: [Double?]
  var oddlyNamed: String

  static let shape = Shape<Shelf>.members(
    Shelf.init, Member("byName", \.byName), Member("byNumber", \.byNumber), Member("byID", \.byID),
    Member("byDay", \.byDay), Member("grid", \.grid), Member("maybe", \.maybe), Member("a/b~\"é\n", \.oddlyNamed))
}

/// An element with a string id that contains elements.
struct Folder: Bindable, Identifiable, Equatable {
  let id: String
  var notes: Identified<Note>

  static let shape = Shape<Folder>.members(Folder.init, Member("id", id: \.id), Member("notes", \.notes))

  static func == (a: Folder, b: Folder) -> Bool { a.id == b.id && a.notes == b.notes }
}

struct Note: Bindable, Identifiable, Equatable {
  let number: Int
  var text: String
  var tags: [String]
  var id: Int { number }

  static let shape = Shape<Note>.members(
    Note.init, Member("number", id: \.number), Member("text", \.text, .length(0...20), .noControlCharacters),
    Member("tags", \.tags, .count(0...3), default: []))
}

struct Cabinet: Bindable {
  var folders: Identified<Folder>
  var open: Folder?

  static let shape = Shape<Cabinet>.members(Cabinet.init, Member("folders", \.folders), Member("open", \.open))
}

/// Computed members whose setters keep, adjust or drop the value.
struct Thermostat: Model, Equatable {
  var celsius: Int
  var limit: Int
  var note: String?
  var serial: String

  init(celsius: Int, limit: Int, note: String?, serial: String) {
    self.celsius = celsius
    self.limit = limit
    self.note = note
    self.serial = serial
  }

  /// The setter keeps the value.
  var tenths: Int {
    get { celsius.multipliedReportingOverflow(by: 10).partialValue }
    set { celsius = newValue / 10 }
  }
  /// The setter may adjust the value.
  var clamped: Int {
    get { min(celsius, limit) }
    set { celsius = min(newValue, limit) }
  }
  /// The setter drops the value.
  var stubborn: Bool {
    get { celsius > limit }
    set {}
  }
  var isNoted: Bool { note != nil }
  /// A computed optional on top of the note, with an optional member of its own.
  var sticker: Sticker? {
    get { note.map { Sticker(text: $0, color: nil) } }
    set { note = newValue.map { $0.text + ($0.color ?? "") } }
  }

  static let shape = Shape<Thermostat>.members(
    Thermostat.init(celsius:limit:note:serial:),
    Member("celsius", \.celsius), Member("limit", \.limit, .atLeast(0), default: 30),
    Member("note", \.note, default: nil),
    Member("serial", readOnly: \.serial, default: { "none" }),
    computed: [
      Computed("tenths", \.tenths, from: \.celsius),
      Computed("clamped", \.clamped, from: \.celsius, \.limit),
      Computed("stubborn", \.stubborn, from: \.celsius, \.limit),
      Computed("isNoted", readOnly: \.isNoted, from: \.note),
      Computed("sticker", \.sticker, from: \.note, filling: .editsOnly),
    ])
}

struct Sticker: Bindable, Equatable {
  var text: String
  var color: String?

  static let shape = Shape<Sticker>.members(
    Sticker.init, Member("text", \.text), Member("color", \.color, default: nil))
}
