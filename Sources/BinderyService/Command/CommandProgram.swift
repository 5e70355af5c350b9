import BinderyCore

/// A program with its model: what ``ServiceCommand`` declares, as a value.
struct CommandProgram<State: Sendable>: Sendable {
  let program: Program
  let title: String
  let model: ModelDefinition<State>
  let makeInitial: @Sendable (Launch) throws -> State
  let configure: @Sendable (inout ServiceConfiguration<State>, Launch) throws -> Void
  let background: @Sendable (Service<State>, Launch) async throws -> Void
  /// The files that the model comes from; nil for a model in Swift.
  var source: ModelSource?

  /// Returns the state that a server has after its first start: settled and checked.
  func settledInitial(_ launch: Launch) throws -> State {
    var root = try makeInitial(launch)
    try InvalidInitialState.settle(&root, of: model)
    return root
  }
}
