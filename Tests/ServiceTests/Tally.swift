import BinderyCore

/// The model of these tests.
struct Tally: Model, Equatable {
  var count = 0
  var note: String?

  static let shape = Shape<Tally>.members(
    Tally.init, Member("count", \.count, .atLeast(0)), Member("note", \.note, default: nil))
}
