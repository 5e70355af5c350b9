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
}
