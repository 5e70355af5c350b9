import Bindery

/// The program: `swift run Counter serve` stores the state in `Counter.db` and serves it.
@main
struct Counter: ServiceCommand {
  /// The state of a new store.
  static let initial = CounterState()
}
