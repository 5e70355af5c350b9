import Bindery

/// The rollout of a firmware to the fleet.
enum Rollout: Editable, Equatable {
  case idle
  case running(Wave)
  case paused(wave: Wave, reason: String)
  case finished(version: String)

  /// The part of the fleet that has reached its turn, while a rollout is running or paused.
  var wave: Wave? {
    switch self {
    case .running(let wave), .paused(let wave, _): wave
    case .idle, .finished: nil
    }
  }

  /// The version that devices should have; nil if there is no rollout.
  var version: String? { if case .finished(let version) = self { version } else { wave?.version } }

  static let running = EnumCase("running", Rollout.running) { if case .running(let wave) = $0 { wave } else { nil } }
  static let paused = EnumCase(
    "paused", Rollout.paused(wave:reason:), StoredMember("wave", \.0), StoredMember("reason", \.1, .length(1...200))
  ) {
    if case .paused(let wave, let reason) = $0 { (wave, reason) } else { nil }
  }
  static let finished = EnumCase("finished", label: "version", Rollout.finished(version:), .length(1...40)) {
    if case .finished(let version) = $0 { version } else { nil }
  }
  static let shape = EditableShape<Rollout>.cases(EnumCase("idle", Rollout.idle), running, paused, finished)
}

/// A version, and the part of the fleet that should install it.
struct Wave: Editable, Equatable {
  var version: String
  var percent = 0

  static let shape = EditableShape<Wave>.members(
    Wave.init,
    StoredMember("version", \.version, .length(1...40)),
    StoredMember("percent", \.percent, .within(0...100), default: 0))
}
