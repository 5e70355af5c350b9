import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// What became of a write.
enum WriteResult: Sendable {
  /// Apart, because it is large and rare.
  indirect case refused(Problem)
  /// `newKey` is that of the element that was added, which is shown in the stead of the place itself; `scalar` is what
  /// stands at the place, where it is known to be one.
  case done(changed: Bool, created: Bool, outcome: WriteOutcome, newKey: AnyKey?, scalar: NotedScalar?)
  /// There was nothing to remove.
  case nothingThere
}

/// The answer to a write that was decided on a version which is not published yet, and is not to be told before.
struct PendingAnswer {
  /// The version's, and the time it belongs to.
  let revision: Int
  let epoch: CommitEpoch
  let answer: () throws(Problem) -> Response
}

extension StateResource {
  /// `PATCH`, `PUT`, `DELETE` and `POST`: writes through the binding.
  ///
  /// - Parameters:
  ///   - host: host and port as the request gives them, for the command that a refusal may suggest.
  ///   - room: what the loop lends to one write after the other.
  ///   - pending: set, if the answer must wait.
  /// - Returns: the answer; nil if it must wait.
  func write(
    _ request: StateRequest, body: Span<UInt8>, host: Span<UInt8>, in room: inout WriteScratch,
    pending: inout PendingAnswer?
  ) throws(Problem) -> Response? {
    let node: JSONNode? = if case .delete = request.method { nil } else { try Self.parse(body, &room.reader) }
    var written = WriteResult.nothingThere
    var epoch: CommitEpoch?
    let version = store.advance(&epoch) { head in decide(request, node, host, on: head, &room, &written) }
    guard let epoch else { return try respond(request, consume written, version) }
    pending = PendingAnswer(revision: version.revision, epoch: epoch) { [written] () throws(Problem) in
      try self.respond(request, written, version)
    }
    return nil
  }

  private static func parse(_ body: Span<UInt8>, _ reader: inout JSONReader) throws(Problem) -> JSONNode {
    do throws(JSONSyntaxError) {
      return try reader.read(body)
    } catch {
      throw Problem(.malformedJSON, "\(error)")
    }
  }

  /// Runs under the store's lock.
  ///
  /// - Returns: the next version; nil where nothing changes.
  private func decide(
    _ request: StateRequest, _ node: JSONNode?, _ host: Span<UInt8>, on head: Snapshot<Root>,
    _ room: inout WriteScratch, _ written: inout WriteResult
  ) -> Snapshot<Root>? {
    do throws(Problem) {
      if !request.conditions.isEmpty {
        let digest = place(request, in: head, .digest).reading?.digest
        guard request.conditions.matchHolds(digest), request.conditions.noneMatchHolds(digest) else {
          throw failedPrecondition(request, in: head)
        }
      }
      var root = head.root
      var transaction = WriteTransaction(key: key, isKept: store.isKept)
      var edit = Edit(request.method, node, along: request.route)
      swap(&edit.room, &room.text)
      // Given back where nothing was written in it.
      defer { if room.text.isEmpty { swap(&edit.room, &room.text) } }
      guard try carryOut(request, node, host, &edit, on: &root, &transaction, head) else { return nil }
      let changed = try transaction.settle(&root, from: head)
      if transaction.outcome != .kept, request.preferences.isStrict {
        throw Problem(.writeNotKept, "The place's setter did not keep the value.")
      }
      let scalar = transaction.takeScalar()
      let change = changed ? change(scalar, request) : nil
      written = .done(
        changed: changed, created: edit.created, outcome: transaction.outcome, newKey: edit.newKey, scalar: scalar)
      return changed ? head.next(consume root, change: change) : nil
    } catch {
      written = .refused(error)
      return nil
    }
  }

  /// All that a write has changed, where that is known.
  private func change(_ scalar: NotedScalar?, _ request: StateRequest) -> ScalarChange? {
    guard let scalar, let before = scalar.before, let path = request.address.storedPath else { return nil }
    return ScalarChange(at: path, before: before, after: scalar.json)
  }

  /// - Returns: false where there was nothing to remove.
  private func carryOut(
    _ request: StateRequest, _ node: JSONNode?, _ host: Span<UInt8>, _ edit: inout Edit, on root: inout Root,
    _ transaction: inout WriteTransaction, _ base: Snapshot<Root>
  ) throws(Problem) -> Bool {
    if let node, case .patch = request.method, case .jsonPatch? = request.mediaType {
      try mustExist(request, root, transaction, base)
      try transaction.apply(try PatchDocument(node), to: &root, along: request.route)
      return true
    }
    do throws(EditError) {
      try transaction.apply(&edit, to: &root, along: request.route)
      return !edit.wasAbsent
    } catch {
      if request.method == .delete, case .absent = error { return false }
      throw explain(error, request, node, host, base)
    }
  }

  /// A patch is for a place that is there, even if none of its operations looks.
  private func mustExist(
    _ request: StateRequest, _ root: Root, _ transaction: WriteTransaction, _ base: Snapshot<Root>
  ) throws(Problem) {
    do throws(Absence) {
      _ = try transaction.read(.digest, in: root, along: request.route)
    } catch {
      throw explain(.absent(error), request, nil, Span(), base)
    }
  }

  private func explain(
    _ refusal: EditError, _ request: StateRequest, _ node: JSONNode?, _ host: Span<UInt8>, _ base: Snapshot<Root>
  ) -> Problem {
    let problem = Problem(refusal)
    guard case .absent(let absence) = refusal else { return problem }
    return problem.with { problem in
      problem.cases = cases(at: absence, request.route)
      if request.method == .put, problem.status == .notFound { problem.status = .conflict }
      guard case .inactiveCase = absence.reason, request.method == .patch, let node else { return }
      problem.curl = switching(request, node, host, base)
    }
  }

  /// The command that would switch the case; nil where it would fail.
  private func switching(
    _ request: StateRequest, _ node: JSONNode, _ host: Span<UInt8>, _ base: Snapshot<Root>
  ) -> String? {
    var trial = WriteTransaction(key: key)
    var root = base.root
    var edit = Edit(.replace(node), mayCreate: true, along: request.route)
    guard !host.isEmpty, (try? trial.apply(&edit, to: &root, along: request.route)) != nil,
      (try? trial.settle(&root, from: base)) != nil
    else { return nil }
    return CurlCommand.put("http://\(host.text(host.indices))\(request.path)", body: node)
  }

  /// Where the element stands that was added.
  private func place(of newKey: AnyKey?, _ request: StateRequest) -> (route: Route, path: String)? {
    guard let key = newKey, let route = request.route.resolving([key.text], form: .url) else { return nil }
    return (route, RequestTarget.path(["state"] + request.segments + [key.text]))
  }

  private static func content(_ reading: ReadOperation, _ request: StateRequest) -> Response.Content {
    if reading.rest != nil, let content = SlicedJSON(reading, isPretty: request.isPretty) { return .long(content) }
    return .whole(content(reading.writer.bytes, request))
  }

  private func respond(
    _ request: StateRequest, _ written: consuming WriteResult, _ snapshot: Snapshot<Root>
  ) throws(Problem) -> Response {
    switch consume written {
    case .refused(let problem): throw problem
    case .nothingThere:
      return Response(.noContent, revision: snapshot.revision, changed: false)
    case .done(let changed, let created, let outcome, let newKey, let scalar):
      // Matched, and not compared: the methods' module would be asked for their equality.
      let isAddition = if case .post = request.method { true } else { false }
      let isRemoval = if case .delete = request.method { true } else { false }
      let added = isAddition ? place(of: newKey, request) : nil
      let shown =
        if let scalar { Shown(content: .whole(Self.content(scalar.json, request)), digest: scalar.digest) } else {
          show(added?.route ?? request.route, request, in: snapshot)
        }
      let isEmpty = request.preferences.isMinimal || isRemoval
      var response = Response(
        created ? .created : isEmpty || shown == nil ? .noContent : .ok,
        isEmpty ? .none : shown?.content ?? .none, etag: isRemoval ? nil : shown?.digest,
        revision: snapshot.revision, changed: changed, outcome: outcome)
      if isAddition { response.say(.location, added?.path ?? request.path) }
      response.say(.preferenceApplied, request.preferences.applied)
      return response
    }
  }
}

/// What an answer to a write shows of a place.
private struct Shown {
  let content: Response.Content
  let digest: Digest?
}

extension StateResource {
  /// What stands at a place after a write; nil where nothing does.
  private func show(_ route: Route, _ request: StateRequest, in snapshot: Snapshot<Root>) -> Shown? {
    let purpose = request.preferences.isMinimal ? ReadOperation.Purpose.digest : .digestAndJSON
    var reading = ReadOperation(purpose, key: key, writer: JSONWriter(stoppingAt: SlicedJSON.sliceBytes))
    do { try Root.shape.visit(snapshot.root, route, 0, &reading) } catch { return nil }
    return Shown(content: Self.content(reading, request), digest: reading.digest)
  }
}

extension Edit {
  /// What a request asks for in the place that it names; a JSON Patch is a list of edits of its own.
  fileprivate init(_ method: Method, _ node: JSONNode?, along route: Route) {
    guard let node else {
      self.init(.remove, along: route)
      return
    }
    switch method {
    case .put: self.init(.replace(node), mayCreate: true, along: route)
    case .post: self.init(.append(node), along: route)
    default: self.init(.merge(node), along: route)
    }
  }
}
