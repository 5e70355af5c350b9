import Bindings
import Digests
import HTTP
import JSON
import Shapes
import State

/// What became of a write.
enum Written: Sendable {
  case refused(Problem)
  /// `route` and `path` are those of what is shown: of the place itself, or of the element that was added.
  case done(changed: Bool, created: Bool, outcome: WriteOutcome, route: Route, path: String)
  /// There was nothing to remove.
  case nothingThere
}

extension StateResource {
  /// `PATCH`, `PUT`, `DELETE` and `POST`: writes through the binding.
  ///
  /// - Parameter completion: called once with the answer if the result is nil, when it may be known.
  func write(
    _ request: StateRequest, body: [UInt8], completion: @escaping @Sendable (Result<Response, Problem>) -> Void
  ) throws(Problem) -> Response? {
    let node = try request.method == .delete ? nil : Self.parse(body)
    let settlement = store.transact(
      { head in self.decide(request, node, on: head) },
      completion: { result in
        switch result {
        case .success(let (written, snapshot)):
          completion(Result { () throws(Problem) in try self.respond(request, written, snapshot) })
        case .failure(let failure): completion(.failure(Problem(failure)))
        }
      })
    guard case .now(let written, let snapshot) = settlement else { return nil }
    return try respond(request, written, snapshot)
  }

  private static func parse(_ body: [UInt8]) throws(Problem) -> JSONNode {
    do throws(JSONSyntaxError) {
      return try JSONDocument(parsing: body).root
    } catch {
      throw Problem(.malformedJSON, "\(error)")
    }
  }

  /// Runs under the store's lock.
  private func decide(
    _ request: StateRequest, _ node: JSONNode?, on head: Snapshot<Root>
  ) -> (Written, Store<Root>.Draft) {
    do throws(Problem) {
      if !request.conditions.isEmpty {
        let digest = place(request, in: head, .digest).reading?.digest
        guard request.conditions.matchHolds(digest), request.conditions.noneMatchHolds(digest) else {
          throw failedPrecondition(request, in: head)
        }
      }
      var drafting = Drafting(head, key: key)
      guard let edit = try carryOut(request, node, on: &drafting) else { return (.nothingThere, .unchanged) }
      let changed = try drafting.settle()
      if drafting.outcome != .kept, request.preferences.isStrict {
        throw Problem(.writeNotKept, "The place's setter did not keep the value.")
      }
      let (route, path) = shown(request, edit)
      let written = Written.done(
        changed: changed, created: edit.created, outcome: drafting.outcome, route: route, path: path)
      return (written, changed ? .changed(drafting.root) : .unchanged)
    } catch {
      return (.refused(error), .unchanged)
    }
  }

  /// - Returns: nil where there was nothing to remove.
  private func carryOut(
    _ request: StateRequest, _ node: JSONNode?, on drafting: inout Drafting<Root>
  ) throws(Problem) -> Edit? {
    let route = request.route
    do throws(Refusal) {
      switch (request.method, node) {
      case (.put, let node?):
        return try drafting.apply(Edit(.replace(node), mayCreate: true, along: route), along: route)
      case (.post, let node?):
        return try drafting.apply(Edit(.append(node), along: route), along: route)
      case (.delete, _):
        let edit = try drafting.apply(Edit(.remove, along: route), along: route)
        return edit.wasAbsent ? nil : edit
      case (_, let node?):
        guard request.mediaType != .jsonPatch else { break }
        return try drafting.apply(Edit(.merge(node), along: route), along: route)
      case (_, nil): return nil
      }
    } catch {
      if request.method == .delete, case .absent = error { return nil }
      throw explain(error, request, node, drafting.base)
    }
    guard let node else { return nil }
    try mustExist(request, drafting)
    try drafting.apply(try PatchDocument(node), along: route)
    return Edit(.merge(node), along: route)
  }

  /// A patch is for a place that is there, even if none of its operations looks.
  private func mustExist(_ request: StateRequest, _ drafting: Drafting<Root>) throws(Problem) {
    do throws(Absence) {
      _ = try drafting.read(.digest, along: request.route)
    } catch {
      throw explain(.absent(error), request, nil, drafting.base)
    }
  }

  private func explain(
    _ refusal: Refusal, _ request: StateRequest, _ node: JSONNode?, _ base: Snapshot<Root>
  ) -> Problem {
    let problem = Problem(refusal)
    guard case .absent(let absence) = refusal else { return problem }
    return problem.with { problem in
      problem.cases = cases(at: absence, request.route)
      if request.method == .put, problem.status == .notFound { problem.status = .conflict }
      guard case .inactiveCase = absence.reason, request.method == .patch, let node else { return }
      problem.curl = switching(request, node, base)
    }
  }

  /// The command that would switch the case; nil where it would fail.
  private func switching(_ request: StateRequest, _ node: JSONNode, _ base: Snapshot<Root>) -> String? {
    var trial = Drafting(base, key: key)
    let edit = Edit(.replace(node), mayCreate: true, along: request.route)
    guard !request.authority.isEmpty, (try? trial.apply(edit, along: request.route)) != nil,
      (try? trial.settle()) != nil
    else { return nil }
    return CurlCommand.put("http://\(request.authority)\(request.path)", body: node)
  }

  /// The place whose value the answer shows.
  private func shown(_ request: StateRequest, _ edit: Edit) -> (Route, String) {
    guard request.method == .post, let key = edit.newKey,
      let route = request.route.resolving([key.text], form: .url)
    else { return (request.route, request.path) }
    return (route, Target.path(["state"] + request.segments + [key.text]))
  }

  private func respond(
    _ request: StateRequest, _ written: Written, _ snapshot: Snapshot<Root>
  ) throws(Problem) -> Response {
    switch written {
    case .refused(let problem): throw problem
    case .nothingThere:
      var response = Response(.noContent)
      response.changed = false
      response.revision = snapshot.revision
      return response
    case .done(let changed, let created, let outcome, let route, let path):
      var reading = Reading(request.preferences.isMinimal ? .digest : .digestAndJSON, key: key)
      let isThere = (try? Root.shape.visit(snapshot.root, route, 0, &reading)) != nil
      let isEmpty = request.preferences.isMinimal || request.method == .delete || !isThere
      var response = Response(created ? .created : isEmpty ? .noContent : .ok)
      if !isEmpty { response.content = Self.content(reading.writer.bytes, request) }
      if isThere, request.method != .delete { response.etag = reading.digest }
      response.changed = changed
      response.revision = snapshot.revision
      response.outcome = outcome
      response.preferenceApplied = request.preferences.applied
      if request.method == .post { response.location = path }
      return response
    }
  }
}
