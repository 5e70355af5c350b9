import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// The result of a write, decided on the newest draft.
enum WriteResult: Sendable {
  case rejected(Problem)
  /// A condition does not hold.
  case preconditionFailed
  /// The edit failed.
  indirect case failed(EditError)
  /// `newKey` is the key of an element that was added; the response then shows that element. `written` has the value at
  /// the path, if the write has recorded it.
  case completed(changed: Bool, created: Bool, outcome: WriteOutcome, newKey: AnyKey?, written: Change?)
  /// A `DELETE` of a value that was already absent.
  case alreadyAbsent
  /// A change that was requested with an idempotency key, with its response.
  indirect case recorded(Response)
  /// A repetition of a request that has changed the state before.
  indirect case repeated(KeyedResult)

  /// The problem of a rejected write.
  var problem: Problem? { if case .rejected(let problem) = self { problem } else { nil } }

  /// The number of bytes of the current value in a problem, or of a response; other results are short.
  var byteCount: Int {
    switch self {
    case .rejected(let problem): problem.current?.count ?? 0
    case .recorded(let response): response.content.byteCount
    case .preconditionFailed, .failed, .completed, .alreadyAbsent, .repeated: 0
    }
  }
}

extension StateResource {
  /// Handles `PATCH`, `PUT`, `DELETE` and `POST`.
  ///
  /// - Parameters:
  ///   - metadata: The metadata of the commit, which the history stores in addition to its changes.
  ///   - keyed: The idempotency key with the digest of the request; nil if it has no key.
  ///   - scratch: Buffers that the event loop reuses for each write.
  ///   - pending: Set if the response must wait for the journal.
  /// - Returns: The response, or nil if it must wait.
  func write(
    _ request: StateRequest, body: Span<UInt8>, _ metadata: CommitMetadata, _ keyed: KeyedRequest?,
    in scratch: inout Scratch, pending: inout PendingResponse?
  ) throws(Problem) -> Response? {
    let json: JSONNode? = if case .delete = request.method { nil } else { try Self.parse(body, &scratch.reader) }
    if let epoch = store.deferDecision() {
      pending = PendingResponse(revision: PendingResponse.deferred, epoch: epoch, byteCount: body.count) {
        () throws(Problem) in
        throw Problem(JournalFailure.overtaken)
      }
      pending?.repetition = repetition(of: request, body, metadata, keyed)
      return nil
    }
    let patch = Self.patch(request, json)
    // The values of a long body are kept for the next attempt.
    let decodedValues = body.count > Self.shortBodyBytes ? DecodedValues() : nil
    let isLong = decodedValues != nil || keyed != nil || Self.isLong(request, patch)
    var result = WriteResult.alreadyAbsent
    var epoch: CommitEpoch?
    let snapshot = store.commitDraft(&epoch, attempts: isLong ? Self.unlockedAttempts : 0) { base, change in
      result = .alreadyAbsent
      guard let keyed else { return decide(request, json, patch, decodedValues, metadata, on: base, &change, &result) }
      return decide(keyed, request, metadata, on: base, &result) { result in
        decide(request, json, patch, decodedValues, metadata, on: base, &change, &result)
      }
    }
    // The problem may contain a long value, so it is not created in the turn of this writer.
    let rejection: Problem? =
      switch result {
      case .preconditionFailed: failedPrecondition(request, in: snapshot)
      case .failed(let error): problem(for: error, request)
      case .rejected(let problem): problem
      case .completed, .alreadyAbsent, .recorded, .repeated: nil
      }
    // With the revision, a client knows whether it has seen a newer one.
    if let rejection { result = .rejected(rejection.with { $0.revision = snapshot.revision }) }
    guard let epoch else {
      var buffer: [UInt8] = []
      swap(&buffer, &scratch.jsonBuffer)
      return try respond(request, consume result, snapshot, reusing: buffer)
    }
    let byteCount = body.count + result.byteCount
    pending = PendingResponse(
      revision: snapshot.revision, epoch: epoch, byteCount: byteCount, rejection: result.problem
    ) { [result] () throws(Problem) in
      try self.respond(request, result, snapshot)
    }
    if store.isShared { pending?.repetition = repetition(of: request, body, metadata, keyed) }
    return nil
  }

  /// Returns the repetition of a write, for which its body is copied.
  private func repetition(
    of request: StateRequest, _ body: Span<UInt8>, _ metadata: CommitMetadata, _ keyed: KeyedRequest?
  ) -> WriteRepetition {
    let body = body.slice(0..<body.count)
    return WriteRepetition { scratch, pending throws(Problem) in
      try self.write(request, body: body.span, metadata, keyed, in: &scratch, pending: &pending)
    }
  }

  /// Parses the body of a request.
  ///
  /// - Throws: `malformed-json`.
  static func parse(_ body: Span<UInt8>, _ reader: inout JSONReader) throws(Problem) -> JSONNode {
    do throws(JSONSyntaxError) {
      return try reader.read(body)
    } catch {
      throw Problem(error)
    }
  }

  /// Returns the JSON Patch of a request, or the problem with it; nil for any other request.
  private static func patch(_ request: StateRequest, _ json: JSONNode?) -> Result<PatchDocument, Problem>? {
    guard let json, case .patch = request.method, case .jsonPatch? = request.mediaType else { return nil }
    return Result { () throws(Problem) in try PatchDocument(json, along: request.route) }
  }

  /// The size of a body up to which it is decoded in the writer's turn, in less than 0.1 ms.
  private static var shortBodyBytes: Int { 4_096 }

  /// The number of times that a long write is decided while others commit, before it is decided in the writer's turn.
  static var unlockedAttempts: Int { 3 }

  /// Returns whether a write can take long apart from decoding its body: it may run a getter, or compute the digest of
  /// more than a scalar.
  private static func isLong(_ request: StateRequest, _ patch: Result<PatchDocument, Problem>?) -> Bool {
    let route = request.route
    return patch != nil || route.isComputed || route.target.hasGetters
      || !request.conditions.isEmpty && !route.target.isScalar
  }

  /// Checks the conditions and applies the write to a copy of the state. Other writers may wait for it.
  ///
  /// - Returns: The next snapshot, or nil if nothing changes.
  private func decide(
    _ request: StateRequest, _ json: JSONNode?, _ patch: Result<PatchDocument, Problem>?,
    _ decodedValues: DecodedValues?, _ metadata: CommitMetadata, on base: Snapshot<Root>, _ change: inout Change?,
    _ result: inout WriteResult
  ) -> Snapshot<Root>? {
    do throws(Problem) {
      if !request.conditions.isEmpty {
        let digest = (try? readValue(request.route, .digest, in: base))?.digest
        guard request.conditions.ifMatchHolds(digest), request.conditions.ifNoneMatchHolds(digest) else {
          result = .preconditionFailed
          return nil
        }
      }
      var root = base.root
      let getters = patch == nil ? nil : GetterCache(PatchDocument.repetitionBudget(processorTime))
      var transaction = WriteTransaction(key: key, getters: getters, decodedValues: decodedValues)
      var edit = Edit(request.method, json, along: request.route)
      guard try perform(request, patch, &edit, on: &root, &transaction, base, &result) else { return nil }
      change = try transaction.settle(&root, from: base, of: model)
      if patch == nil { transaction.judge(edit, along: request.route, in: root, from: base.root, of: model) }
      if transaction.outcome != .applied, request.preferences.isStrict {
        throw Problem(
          .writeNotKept,
          """
          The model ignored or changed the value that was written. Leave out “Prefer: handling=strict” to accept its \
          result.
          """
        ).with { $0.operation = transaction.unkeptOperation }
      }
      result = .completed(
        changed: change != nil, created: edit.created, outcome: transaction.outcome, newKey: edit.newKey,
        written: transaction.takeWritten())
      return change == nil ? nil : base.next(consume root, metadata: metadata)
    } catch {
      result = .rejected(error)
      return nil
    }
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
        try transaction.apply(&edit, to: &root, of: model, along: request.route)
        return !edit.wasAbsent
      }
      // An empty patch has no operation that would detect that there is no value at its path.
      do throws(Absence) { _ = try transaction.read(.presence, in: root, of: model, along: request.route) } catch {
        throw .absent(error)
      }
    } catch {
      if request.method == .delete, case .absent = error { return false }
      result = .failed(error)
      return false
    }
    if let patch { try transaction.apply(try patch.get(), to: &root, from: base.root, of: model) }
    return true
  }
}

extension Edit {
  /// Creates the edit for a request other than a JSON Patch, which consists of edits of its own.
  fileprivate init(_ method: Method, _ json: JSONNode?, along route: borrowing Route) {
    guard let json else {
      self.init(.remove, along: route)
      return
    }
    switch method {
    case .put: self.init(.replace(json), requiredSteps: 0, along: route)
    case .post: self.init(.append(json), along: route)
    default: self.init(.merge(json), along: route)
    }
  }
}

extension StateResource {
  /// Returns the problem for an edit that failed.
  private func problem(for error: EditError, _ request: StateRequest) -> Problem {
    let problem = Problem(error)
    guard case .absent = error, request.method == .put, problem.status == .notFound else { return problem }
    return problem.with { $0.status = .conflict }
  }

  /// Returns whether a write would succeed, which is tried on a copy of the state.
  func accepts(
    _ method: Method, _ route: Route, _ json: JSONNode?, isJSONPatch: Bool, isStrict: Bool, in base: Snapshot<Root>
  ) -> Bool {
    guard AllowedMethods(route).contains(method) else { return false }
    var trial = WriteTransaction(
      key: key, getters: isJSONPatch ? GetterCache(PatchDocument.repetitionBudget(processorTime)) : nil)
    var root = base.root
    var edit: Edit?
    do {
      if isJSONPatch, let json {
        _ = try trial.read(.presence, in: root, of: model, along: route)
        try trial.apply(PatchDocument(json, along: route), to: &root, from: base.root, of: model)
      } else {
        var single = Edit(method, json, along: route)
        try trial.apply(&single, to: &root, of: model, along: route)
        if single.wasAbsent { return false }
        edit = single
      }
      _ = try trial.settle(&root, from: base, of: model)
      if let edit { trial.judge(edit, along: route, in: root, from: base.root, of: model) }
      return !isStrict || trial.outcome == .applied
    } catch { return false }
  }
}
