import BinderyCore

/// A model with keys and integers that have a list of values.
struct Team: StateModel {
  var leads: [Role: String] = [:]
  var level = Level.first

  static let shape = EditableShape<Team>.members(
    Team.init, StoredMember("leads", \.leads), StoredMember("level", \.level))

  enum Role: String, CaseIterable, PathKey, Editable {
    case cook, waiter
    static let shape = EditableShape<Role>.rawValues()
  }

  enum Level: Int, CaseIterable, Editable {
    case first = 1
    /// More than a number of JavaScript can have.
    case last = 9_007_199_254_740_993
    static let shape = EditableShape<Level>.rawValues()
  }
}
