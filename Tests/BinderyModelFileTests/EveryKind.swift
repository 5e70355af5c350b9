import BinderyCore
import FoundationEssentials

/// A model in Swift with every kind of place that a model file can declare, and no computed members.
struct EveryKind: StateModel {
  var isOn = true
  var count = 3
  var ratio = 0.5
  var gain: Float = 1.5
  var title = "Title"
  var code = "abc"
  var owner = UUID(uuid: (0xB1, 0x0D, 0xE4, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
  var changedAt = Date(timeIntervalSince1970: 1_763_000_000)
  var interval: Duration = .milliseconds(1500)
  var homepage: URL?
  var firmware = Data([1, 2, 3])
  var deep: Int???
  var numbers = [3, 1, 2]
  var tags: Set<String> = ["b", "a"]
  var mode = Mode.idle
  var range = Range.wide
  var prices = ["adult": 12]
  var floors = [1: "ground"]
  var cell = Cell.empty
  var room = Room(name: "Hall", size: 9)
  var parts = Identified(uniquing: [Part(id: 1, label: "one"), Part(id: 2, label: "two")])
  var guests = Identified(uniquing: [Guest(id: "ada", room: nil)])

  enum Mode: String, CaseIterable, Editable {
    case idle
    case measuring = "measuring…"
    static let shape = EditableShape<Mode>.rawValues()
  }

  enum Range: Int, CaseIterable, Editable {
    case narrow = 1
    case wide = 100
    static let shape = EditableShape<Range>.rawValues()
  }

  struct Room: Hashable, Editable {
    var name: String
    var size: Int
    static let shape = EditableShape<Room>.members(
      Room.init, StoredMember("name", \.name, .length(1...20)), StoredMember("size", \.size, default: 1))
  }

  struct Part: Hashable, Identifiable, Editable {
    let id: Int
    var label: String
    static let shape = EditableShape<Part>.members(
      Part.init, StoredMember("id", id: \.id), StoredMember("label", \.label))
  }

  struct Guest: Hashable, Identifiable, Editable {
    let id: String
    var room: Room?
    static let shape = EditableShape<Guest>.members(
      Guest.init, StoredMember("id", id: \.id), StoredMember("room", \.room))
  }

  enum Cell: Editable, Equatable {
    case empty
    case number(Int)
    case point(x: Int, y: Int)
    case size(width: Int)
    case word(String?)
    case room(Room)

    static let shape = EditableShape<Cell>.cases(
      EnumCase("empty", Cell.empty),
      EnumCase("number", Cell.number) { if case .number(let it) = $0 { it } else { nil } },
      EnumCase("point", Cell.point(x:y:), StoredMember("x", \.0), StoredMember("y", \.1)) {
        if case .point(let x, let y) = $0 { (x, y) } else { nil }
      },
      EnumCase("size", label: "width", Cell.size(width:), .atLeast(1)) {
        if case .size(let it) = $0 { it } else { nil }
      },
      EnumCase("word", Cell.word) { if case .word(let it) = $0 { it } else { nil } },
      EnumCase("room", Cell.room) { if case .room(let it) = $0 { it } else { nil } })
  }

  static let shape = EditableShape<EveryKind>.members(
    EveryKind.init(
      isOn:count:ratio:gain:title:code:owner:changedAt:interval:homepage:firmware:deep:numbers:tags:mode:range:prices:
      floors:cell:room:parts:guests:),
    StoredMember("isOn", \.isOn), StoredMember("count", \.count, .within(0...1_000)),
    StoredMember("ratio", \.ratio, .within(0..<1)), StoredMember("gain", \.gain, .above(0)),
    StoredMember("title", \.title, .length(1...100), .bytes(atMost: 400), .notBlank, .noControlCharacters),
    StoredMember("code", \.code, .codePoints(3...3)), StoredMember("owner", \.owner),
    StoredMember("changedAt", \.changedAt), StoredMember("interval", \.interval), StoredMember("homepage", \.homepage),
    StoredMember("firmware", \.firmware), StoredMember("deep", \.deep), StoredMember("numbers", \.numbers),
    StoredMember("tags", \.tags), StoredMember("mode", \.mode), StoredMember("range", \.range),
    StoredMember("prices", \.prices), StoredMember("floors", \.floors), StoredMember("cell", \.cell),
    StoredMember("room", \.room), StoredMember("parts", \.parts), StoredMember("guests", \.guests))
}
