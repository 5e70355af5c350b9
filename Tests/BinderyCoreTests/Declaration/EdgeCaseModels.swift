import BinderyCore
import FoundationEssentials

/// Optionals in optionals in optionals, of a scalar, a struct and an enum.
struct Layers: Editable, Equatable {
  var one: Int?
  var two: Int??
  var three: Int???
  var point: Point???
  var light: Light??

  static let shape = EditableShape<Layers>.members(
    Layers.init, StoredMember("one", \.one), StoredMember("two", \.two), StoredMember("three", \.three),
    StoredMember("point", \.point),
    StoredMember("light", \.light))
}

struct Point: Editable, Equatable {
  var x: Int
  var y: Double

  static let shape = EditableShape<Point>.members(
    Point.init, StoredMember("x", \.x, .within(-10...10)), StoredMember("y", \.y))
}

/// An enum whose payloads are optionals of enums.
enum Light: Editable, Equatable {
  case off
  case dimmed(Dimmer?)
  case colored(name: String, at: Point)
  case mixed([Light.Tone])

  enum Tone: Editable, Equatable {
    case warm, cold
    case exact(Int)

    static let shape = EditableShape<Tone>.cases(
      EnumCase("warm", Tone.warm),
      EnumCase("cold", Tone.cold),
      EnumCase("exact", Tone.exact, .within(1000...10_000)) { if case .exact(let kelvin) = $0 { kelvin } else { nil } })
  }

  enum Dimmer: Editable, Equatable {
    case level(Tone??)
    case program(String?)

    static let level = EnumCase("level", Dimmer.level) { if case .level(let it) = $0 { .some(it) } else { nil } }
    static let program = EnumCase("program", Dimmer.program) {
      if case .program(let it) = $0 { .some(it) } else { nil }
    }
    static let shape = EditableShape<Dimmer>.cases(level, program)
  }

  static let dimmed = EnumCase("dimmed", Light.dimmed) { if case .dimmed(let it) = $0 { .some(it) } else { nil } }
  static let colored = EnumCase(
    "colored", labels: Colored.shape, { Light.colored(name: $0.name, at: $0.at) },
    extract: { if case .colored(let name, let at) = $0 { Colored(name: name, at: at) } else { nil } })
  static let shape = EditableShape<Light>.cases(
    EnumCase("off", Light.off),
    dimmed, colored,
    EnumCase("mixed", Light.mixed) { if case .mixed(let it) = $0 { it } else { nil } })

  struct Colored: Editable, Equatable {
    var name: String
    var at: Point

    static let shape = EditableShape<Colored>.members(
      Colored.init, StoredMember("name", \.name), StoredMember("at", \.at))
  }
}

/// An enum without cases, which has no values.
enum Uninhabited: Editable, Equatable {
  static let shape = EditableShape<Uninhabited>.cases()
}

/// Members of a type without values.
struct UninhabitedParts: Editable, Equatable {
  var nothing: Uninhabited?
  var many: [Uninhabited]

  static let shape = EditableShape<UninhabitedParts>.members(
    UninhabitedParts.init, StoredMember("nothing", \.nothing), StoredMember("many", \.many))
}

/// Dictionaries with every type of key, arrays, and a member name that needs escapes.
struct Shelf: Editable {
  var byName: [String: Point]
  var byNumber: [Int: String?]
  var byID: [UUID: [String: Bool]]
  var byDay: [CalendarDay: Date]
  var grid: [[Int]]
  var maybe: [Double?]
  var oddlyNamed: String

  static let shape = EditableShape<Shelf>.members(
    Shelf.init, StoredMember("byName", \.byName), StoredMember("byNumber", \.byNumber), StoredMember("byID", \.byID),
    StoredMember("byDay", \.byDay), StoredMember("grid", \.grid), StoredMember("maybe", \.maybe),
    StoredMember("a/b~\"é\n", \.oddlyNamed))
}

/// An element with a string id that contains elements.
struct Folder: Editable, Identifiable, Equatable {
  let id: String
  var notes: Identified<Note>

  static let shape = EditableShape<Folder>.members(
    Folder.init, StoredMember("id", id: \.id), StoredMember("notes", \.notes))

  static func == (a: Folder, b: Folder) -> Bool { a.id == b.id && a.notes == b.notes }
}

struct Note: Editable, Identifiable, Equatable {
  let number: Int
  var text: String
  var tags: [String]
  var id: Int { number }

  static let shape = EditableShape<Note>.members(
    Note.init, StoredMember("number", id: \.number),
    StoredMember("text", \.text, .length(0...20), .noControlCharacters),
    StoredMember("tags", \.tags, .count(0...3), default: []))
}

struct Cabinet: Editable {
  var folders: Identified<Folder>
  var open: Folder?

  static let shape = EditableShape<Cabinet>.members(
    Cabinet.init, StoredMember("folders", \.folders), StoredMember("open", \.open))
}

/// Computed members whose setters keep, adjust or drop the value.
struct Thermostat: StateModel, Equatable {
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

  static let shape = EditableShape<Thermostat>.members(
    Thermostat.init(celsius:limit:note:serial:),
    StoredMember("celsius", \.celsius), StoredMember("limit", \.limit, .atLeast(0), default: 30),
    StoredMember("note", \.note, default: nil),
    StoredMember("serial", readOnly: \.serial, default: "none"),
    computed: [
      ComputedMember("tenths", \.tenths, from: \.celsius),
      ComputedMember("clamped", \.clamped, from: \.celsius, \.limit),
      ComputedMember("stubborn", \.stubborn, from: \.celsius, \.limit),
      ComputedMember("isNoted", readOnly: \.isNoted, from: \.note),
      ComputedMember("sticker", \.sticker, from: \.note, filling: .editsOnly),
    ])
}

struct Sticker: Editable, Equatable {
  var text: String
  var color: String?

  static let shape = EditableShape<Sticker>.members(
    Sticker.init, StoredMember("text", \.text), StoredMember("color", \.color, default: nil))
}
