import BinderyCore

/// The model of these tests.
struct Tally: StateModel, Equatable {
  var count = 0
  var note: String?

  static let shape = EditableShape<Tally>.members(
    Tally.init, StoredMember("count", \.count, .atLeast(0)), StoredMember("note", \.note, default: nil))
}
