import BinderyHTTP

/// What is to be told of a request, beside its answer.
struct RequestOutcome {
  /// nil where it is not for a place of the state.
  var route: RouteMetrics?
  var problem: ProblemKind?
  /// It asked for what was there already.
  var isUnchanged = false
  /// It waits because it has asked to.
  var isLongPoll = false
}

extension APIResponder {
  func write(_ problem: Problem, to output: inout ResponseWriter) {
    outcome.problem = problem.kind
    problem.write(to: &output)
  }

  func write(_ response: Response, in room: inout WriteScratch, to output: inout ResponseWriter) {
    outcome.isUnchanged = response.changed == false
    response.write(to: &output, as: &room.forms)
  }
}
