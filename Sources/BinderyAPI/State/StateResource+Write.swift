import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// The result of a write, decided under the store's lock.
enum WriteResult: Sendable {
  /// Indirect, because a problem is large and rare.
  indirect case rejected(Problem)
  /// A condition does not hold.
  case preconditionFailed
  /// The edit failed.
  indirect case failed(EditError)
  /// `newKey` is the key of an element that was added; the response then shows that element. `scalar` is the value at
  /// the path, if it is known to be a scalar.
  case completed(changed: Bool, created: Bool, outcome: WriteOutcome, newKey: AnyKey?, scalar: RecordedScalar?)
  /// A `DELETE` of a value that was already absent.
  case alreadyAbsent

  /// The number of bytes of the current value in a problem; other results are short.
  var byteCount: Int { if case .rejected(let problem) = self { problem.current?.count ?? 0 } else { 0 } }
}

/// A response that must wait until the snapshot it was decided on is published: until then, a crash could still undo
/// what it shows.
struct PendingResponse {
  /// The revision of the snapshot that the write was decided on, and its commit epoch.
  let revision: Int
  let epoch: CommitEpoch
  /// The number of bytes that the write holds in memory until then: about the size of what it sent and of what its
  /// response shows.
  let byteCount: Int
  let makeResponse: () throws(Problem) -> Response
}

extension StateResource {
  /// Handles `PATCH`, `PUT`, `DELETE` and `POST`.
  ///
  /// - Parameters:
  ///   - host: The host and port of the request, for a curl command in a problem.
  ///   - scratch: Buffers that the event loop reuses for each write.
  ///   - pending: Set if the response must wait for the journal.
  /// - Returns: The response, or nil if it must wait.
  func write(
    _ request: StateRequest, body: Span<UInt8>, host: Span<UInt8>, in scratch: inout WriteScratch,
    pending: inout PendingResponse?
  ) throws(Problem) -> Response? {
    let json: JSONNode? = if case .delete = request.method { nil } else { try Self.parse(body, &scratch.reader) }
    let patch = Self.patch(request, json)
    let prepared = body.count > Self.preparedBytes ? prepare(request, json, patch) : nil
    var result = WriteResult.alreadyAbsent
    var epoch: CommitEpoch?
    let snapshot = store.commitDraft(&epoch) { base in
      decide(request, json, patch, prepared, on: base, &scratch, &result)
    }
    // The problem may contain a long value or need a trial, so it is not created under the lock.
    switch result {
    case .preconditionFailed: result = .rejected(failedPrecondition(request, in: snapshot))
    case .failed(let error):
      result = .rejected(problem(for: error, request, patch == nil ? json : nil, host, snapshot))
    case .rejected, .completed, .alreadyAbsent: break
    }
    guard let epoch else { return try respond(request, consume result, snapshot) }
    let byteCount = body.count + result.byteCount
    pending = PendingResponse(revision: snapshot.revision, epoch: epoch, byteCount: byteCount) {
      [result] () throws(Problem) in
      try self.respond(request, result, snapshot)
    }
    return nil
  }

  private static func parse(_ body: Span<UInt8>, _ reader: inout JSONReader) throws(Problem) -> JSONNode {
    do throws(JSONSyntaxError) {
      return try reader.read(body)
    } catch {
      throw Problem(.malformedJSON, "The body is not valid JSON: \(error).")
    }
  }

  /// Returns the JSON Patch of a request, or the problem with it; nil for any other request.
  private static func patch(_ request: StateRequest, _ json: JSONNode?) -> Result<PatchDocument, Problem>? {
    guard let json, case .patch = request.method, case .jsonPatch? = request.mediaType else { return nil }
    return Result { () throws(Problem) in try PatchDocument(json, along: request.route) }
  }

  /// The size of a body up to which its values are decoded under the store's lock, which takes less time than to decode
  /// them before and to look them up.
  private static var preparedBytes: Int { 4_096 }

  /// Decodes the values of a request that do not depend on the state, so that other writers do not wait for it.
  private func prepare(
    _ request: StateRequest, _ json: JSONNode?, _ patch: Result<PatchDocument, Problem>?
  ) -> PreparedValues? {
    guard let json else { return nil }
    let values = PreparedValues()
    guard let patch else {
      let edit = Edit(request.method, json, along: request.route)
      Root.shape.prepare(edit.operation, along: request.route, 0, values)
      return values
    }
    for operation in (try? patch.get())?.operations ?? [] {
      switch operation.verb {
      case .add(let value): Root.shape.prepare(.insert(value), along: operation.path.route, 0, values)
      case .replace(let value): Root.shape.prepare(.replace(value), along: operation.path.route, 0, values)
      case .remove, .move, .copy, .test: continue
      }
    }
    return values
  }

  /// Checks the conditions and applies the write to a copy of the state. Runs under the store's lock.
  ///
  /// - Returns: The next snapshot, or nil if nothing changes.
  private func decide(
    _ request: StateRequest, _ json: JSONNode?, _ patch: Result<PatchDocument, Problem>?, _ prepared: PreparedValues?,
    on base: Snapshot<Root>, _ scratch: inout WriteScratch, _ result: inout WriteResult
  ) -> Snapshot<Root>? {
    do throws(Problem) {
      if !request.conditions.isEmpty {
        let digest = read(.digest, request, in: base).reading?.digest
        guard request.conditions.ifMatchHolds(digest), request.conditions.ifNoneMatchHolds(digest) else {
          result = .preconditionFailed
          return nil
        }
      }
      var root = base.root
      let getters = patch == nil ? nil : GetterCache()
      var transaction = WriteTransaction(
        key: key, hasJournal: store.hasJournal, getters: getters, preparedValues: prepared)
      var edit = Edit(request.method, json, along: request.route)
      swap(&edit.jsonBuffer, &scratch.jsonBuffer)
      // Return the buffer if it was not used.
      defer { if scratch.jsonBuffer.isEmpty { swap(&edit.jsonBuffer, &scratch.jsonBuffer) } }
      guard try perform(request, patch, &edit, on: &root, &transaction, base, &result) else { return nil }
      let changed = try transaction.settle(&root, from: base)
      if transaction.outcome != .applied, request.preferences.isStrict {
        throw Problem(
          .writeNotKept,
          """
          A setter ignored or changed the value that was written. Leave out “Prefer: handling=strict” to accept its \
          result.
          """
        ).with { $0.operation = transaction.unkeptOperation }
      }
      let scalar = transaction.takeScalar()
      let change = changed ? change(scalar, request) : nil
      result = .completed(
        changed: changed, created: edit.created, outcome: transaction.outcome, newKey: edit.newKey, scalar: scalar)
      return changed ? base.next(consume root, change: change) : nil
    } catch {
      result = .rejected(error)
      return nil
    }
  }

  /// Returns the change of a single scalar, if the write changed nothing else and the previous value is known.
  private func change(_ scalar: RecordedScalar?, _ request: StateRequest) -> ScalarChange? {
    guard let scalar, let before = scalar.previousJSON, let path = request.resolvedPath.storedPath else { return nil }
    return ScalarChange(at: path, before: before, after: scalar.json)
  }

  /// Applies the write to a copy of the state.
  ///
  /// - Parameter result: Set if the edit fails.
  /// - Returns: False if the edit failed, or for a `DELETE` of a value that was already absent.
  private func perform(
    _ request: StateRequest, _ patch: Result<PatchDocument, Problem>?, _ edit: inout Edit, on root: inout Root,
    _ transaction: inout WriteTransaction, _ base: Snapshot<Root>, _ result: inout WriteResult
  ) throws(Problem) -> Bool {
    do throws(EditError) {
      guard patch != nil else {
        try transaction.apply(&edit, to: &root, along: request.route)
        return !edit.wasAbsent
      }
      try requirePresence(request, root, transaction)
    } catch {
      if request.method == .delete, case .absent = error { return false }
      result = .failed(error)
      return false
    }
    if let patch { try transaction.apply(try patch.get(), to: &root, from: base.root) }
    return true
  }

  /// Throws if there is no value at the path of a JSON Patch. An empty patch has no operation that would detect this.
  private func requirePresence(
    _ request: StateRequest, _ root: Root, _ transaction: WriteTransaction
  ) throws(EditError) {
    do throws(Absence) {
      _ = try transaction.read(.presence, in: root, along: request.route)
    } catch {
      throw .absent(error)
    }
  }

  /// Returns the problem for an edit that failed, with the cases of an enum and a command that switches the case.
  private func problem(
    for error: EditError, _ request: StateRequest, _ json: JSONNode?, _ host: Span<UInt8>, _ base: Snapshot<Root>
  ) -> Problem {
    let problem = Problem(error)
    guard case .absent(let absence) = error else { return problem }
    return problem.with { problem in
      problem.cases = cases(at: absence, request.route)
      if request.method == .put, problem.status == .notFound { problem.status = .conflict }
      guard case .inactiveCase = absence.reason, request.method == .patch, let json else { return }
      problem.curl = caseSwitchCommand(request, json, host, base)
    }
  }

  /// Returns the curl command that switches the case and sets its value. Returns nil if that would fail, which is
  /// tested on a copy of the state.
  private func caseSwitchCommand(
    _ request: StateRequest, _ json: JSONNode, _ host: Span<UInt8>, _ base: Snapshot<Root>
  ) -> String? {
    var trial = WriteTransaction(key: key)
    var root = base.root
    var edit = Edit(.replace(json), mayCreate: true, along: request.route)
    guard !host.isEmpty, (try? trial.apply(&edit, to: &root, along: request.route)) != nil,
      (try? trial.settle(&root, from: base)) != nil
    else { return nil }
    return CurlCommand.put("http://\(host.text(host.indices))\(urlPath(request.segments))", body: json)
  }
}

// MARK: Responses

extension StateResource {
  /// Returns the response to a write.
  ///
  /// - Parameter snapshot: The snapshot that the write was decided on, or the one that it created.
  private func respond(
    _ request: StateRequest, _ result: consuming WriteResult, _ snapshot: Snapshot<Root>
  ) throws(Problem) -> Response {
    switch consume result {
    case .rejected(let problem): throw problem
    case .preconditionFailed, .failed: preconditionFailure("`write` turns it into a problem")
    case .alreadyAbsent:
      return Response(.noContent, revision: snapshot.revision, changed: false)
    case .completed(let changed, let created, let outcome, let newKey, let scalar):
      // Pattern matching, because `==` would be a call into another module.
      let isAddition = if case .post = request.method { true } else { false }
      let isRemoval = if case .delete = request.method { true } else { false }
      let added = isAddition ? place(of: newKey, request) : nil
      let shown =
        if let scalar {
          Representation(content: .complete(Self.content(scalar.json, request)), digest: scalar.digest)
        } else {
          representation(of: added?.route ?? request.route, request, in: snapshot)
        }
      let isEmpty = request.preferences.isMinimal || isRemoval
      var response = Response(
        created ? .created : isEmpty || shown == nil ? .noContent : .ok,
        isEmpty ? .none : shown?.content ?? .none, etag: isRemoval ? nil : shown?.digest,
        revision: snapshot.revision, changed: changed, outcome: outcome)
      if isAddition { response.addField(.location, added?.path ?? urlPath(request.segments)) }
      response.addField(.preferenceApplied, request.preferences.applied)
      return response
    }
  }

  /// Returns the route and the URL path of an element that was added.
  private func place(of newKey: AnyKey?, _ request: StateRequest) -> (route: Route, path: String)? {
    guard let key = newKey, let route = request.route.resolving([key.text], form: .url) else { return nil }
    return (route, urlPath(request.segments + [key.text]))
  }

  /// Returns the value at a route after a write, or nil if there is none.
  private func representation(
    of route: Route, _ request: StateRequest, in snapshot: Snapshot<Root>
  ) -> Representation? {
    let purpose = request.preferences.isMinimal ? ReadOperation.Purpose.digest : .digestAndJSON
    var reading = ReadOperation(purpose, key: key, writer: JSONWriter(stoppingAt: SlicedJSON.sliceBytes))
    do { try Root.shape.visit(snapshot.root, route, 0, &reading) } catch { return nil }
    return Representation(content: Self.content(reading, request), digest: reading.digest)
  }

  private static func content(_ reading: ReadOperation, _ request: StateRequest) -> Response.Content {
    if reading.writeRemainder != nil, let content = SlicedJSON(reading, isPretty: request.isPretty) {
      return .sliced(content)
    }
    return .complete(content(reading.writer.bytes, request))
  }
}

/// The value that the response to a write shows.
private struct Representation {
  let content: Response.Content
  let digest: Digest?
}

extension Edit {
  /// Creates the edit for a request other than a JSON Patch, which consists of edits of its own.
  fileprivate init(_ method: Method, _ json: JSONNode?, along route: Route) {
    guard let json else {
      self.init(.remove, along: route)
      return
    }
    switch method {
    case .put: self.init(.replace(json), mayCreate: true, along: route)
    case .post: self.init(.append(json), along: route)
    default: self.init(.merge(json), along: route)
    }
  }
}
