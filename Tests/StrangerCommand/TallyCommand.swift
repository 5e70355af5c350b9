import Bindery

/// A third-party program: a model of its own, served by the public API.
@main
struct TallyCommand: ServiceCommand {
  static let name = "tally"
  static let version = "1.2.3"
  static let initial = Tally()
  static let options: [CommandOption] = [
    .value(
      "--label", "TEXT", "The label of the tally.", isStored: true,
      check: { label in if label == "bad" { throw InvalidLabel() } }, default: { _ in "none" }),
    .toggle("--fail", "Fail in the background."),
  ]

  static func configure(_ service: inout ServiceConfiguration<Tally>, _ launch: Launch) throws {
    service.files = [
      WebFile(path: "/", mediaType: "text/plain", content: Array("label \(launch["--label"] ?? "")".utf8))
    ]
  }

  static func background(_ service: Service<Tally>, _ launch: Launch) async throws {
    guard launch.isOn("--fail") else { return }
    for await value in service.store.values(at: Tally.places.count) where (try? value.get()) == 13 {
      throw UnluckyNumber()
    }
  }
}

struct Tally: StateModel {
  var count = 0
  var marks: [String: Mark] = [:]

  static let shape = EditableShape<Tally>.members(
    Tally.init, StoredMember("count", \.count, .atLeast(0)), StoredMember("marks", \.marks, default: [:]))
}

struct Mark: Editable {
  var count: Int
  var note: String

  static let shape = EditableShape<Mark>.members(
    Mark.init, StoredMember("count", \.count), StoredMember("note", \.note))
}

struct InvalidLabel: Error, CustomStringConvertible {
  var description: String { "“bad” is no label" }
}

struct UnluckyNumber: Error {}
