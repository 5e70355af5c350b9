import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// The `/history` resource: lists the stored revisions, and reverts the changes of one.
final class HistoryResource<Root: Sendable>: Sendable {
  private let state: StateResource<Root>
  /// The source of stored revisions; nil if the store keeps no history.
  private let history: (any History)?
  /// Counts the bytes of long pages that are being sent.
  private let responseBudget: ByteBudget
  /// Counts the bytes of writes that wait for the journal.
  private let writeBudget: ByteBudget

  init(
    _ state: StateResource<Root>, _ history: (any History)?, responses: ByteBudget, writes: ByteBudget
  ) {
    self.state = state
    self.history = history
    responseBudget = responses
    writeBudget = writes
  }

  private var store: Store<Root> { state.store }
  private var model: ModelDefinition<Root> { state.model }

  static var segment: String { "history" }

  /// The endpoint that a path below `/history` names.
  enum Endpoint {
    case list
    case revert(Int)
  }

  /// Returns the endpoint of a request target.
  ///
  /// - Throws: A problem with status 404 if the path has none.
  func endpoint(_ target: RequestTarget) throws(Problem) -> Endpoint {
    let segments = Array(target.segments.dropFirst())
    if segments.isEmpty { return .list }
    // Only the canonical spelling of a number is accepted, so that a revision has one URL.
    guard segments.count == 2, segments[1] == "revert", let number = Int(segments[0]), number > 0,
      String(number) == segments[0]
    else {
      throw Problem(
        .unknownPath,
        "There is no such path below /history. Use GET /history to list revisions, and POST /history/REVISION/revert "
          + "to revert one.")
    }
    return .revert(number)
  }

  /// The part of the history that a query selects.
  struct Page {
    /// The revision before the first one of the page; nil to begin with the oldest stored revision.
    let after: Int?
    /// The revision after the last one of the page; nil to begin with the first ones.
    let before: Int?
    /// The place that the revisions change, as it was sent; nil for all places.
    let path: String?
    /// Whether patches name elements by id.
    let usesIDs: Bool
    /// The history that the revision numbers belong to; nil for the current one.
    let history: String?
    /// The maximum number of revisions, from 1 to 1,000.
    let limit: Int

    static var parameters: [String] { ["after", "before", "history", "ids", "limit", "path"] }

    init(_ query: Query) throws(Problem) {
      after = try query.number("after", in: 0...Int.max)
      before = try query.number("before", in: 0...Int.max)
      path = query["path"]
      usesIDs = try query.flag("ids")
      history = query["history"]
      limit = try query.number("limit", in: 1...1_000) ?? 100
    }
  }

  /// Reads a page of revisions.
  ///
  /// - Parameter completion: Called once with the response, on another thread, if the returned response is nil.
  /// - Returns: The response if it is available without waiting; otherwise nil.
  /// - Throws: A problem with status 410 if the first revision of the page is no longer stored.
  func list(
    _ page: Page, completion: @escaping @Sendable (Result<Response, Problem>) -> Void
  ) throws(Problem) -> Response? {
    guard let history else {
      _ = try page.path.map(filter)
      return try response(HistoryPage(revisions: [], oldest: store.revision + 1), page)
    }
    let query = HistoryQuery(
      after: page.after, before: page.before, limit: page.limit, includes: try page.path.map(filter))
    history.revisions(query) { [self] result in
      completion(
        Result { () throws(Problem) in
          switch result {
          case .success(let found): try response(found, page)
          case .failure(let failure): throw Problem(reading: failure)
          }
        })
    }
    return nil
  }

  /// Returns a function that tells whether a revision changes a place.
  ///
  /// - Throws: `unknown-path`, or `malformed-query` for a computed place, which no patch names.
  private func filter(_ path: String) throws(Problem) -> @Sendable (Revision) -> Bool {
    let place = try state.watchRequest(path).route
    guard !place.isComputed else {
      throw Problem(
        .malformedQuery,
        "“\(path)” is computed, and the history has changes of stored values only. Use the path of the value that "
          + "it is computed from."
      ).with { $0.pointer = path }
    }
    let (steps, type) = (place.steps.identity, model.shape.type)
    return { revision in
      (try? StoredPatch(parsing: revision.shown?.patch ?? revision.patch))?.mayChange(steps, in: type) ?? true
    }
  }

  /// Checks the parameter `history`: the history that the client's revision numbers belong to.
  ///
  /// - Throws: `other-history`.
  func check(history id: String?) throws(Problem) {
    guard let id, id != store.history.text else { return }
    throw Problem(
      .otherHistory,
      "The revisions of this server belong to the history \(store.history), got “\(id)”. Read the state and the "
        + "history again.")
  }

  private func response(_ found: HistoryPage, _ page: Page) throws(Problem) -> Response {
    // The comparison subtracts from `oldest` because `after` can be `Int.max`, and adding 1 to it would overflow.
    if let after = page.after, after < found.oldest - 1 {
      throw Problem(
        .gone, "Revision \(after + 1) is no longer stored. The oldest stored revision is \(found.oldest).")
    }
    // A revision that the storage already has and the store has not published yet comes with a later page.
    let published = store.revision
    let revisions = found.revisions.prefix { $0.number <= published }
    var response = Response(.ok, try content(PageText(revisions, oldest: found.oldest, usesIDs: page.usesIDs)))
    response.isVolatile = true
    if let next = found.continuation, revisions.count == found.revisions.count {
      response.addField(.link, "<\(state.basePath.text)/history?\(page.query(continuingAt: next))>; rel=\"next\"")
    }
    return response
  }

  /// Returns the content of a page. A long one is sent slice by slice, and counted while it is in memory.
  private func content(_ text: PageText) throws(Problem) -> Response.Content {
    guard text.byteCount > SlicedJSON.sliceBytes else { return .json(text.parts.flatMap(\.self)) }
    guard let lease = responseBudget.lease(text.byteCount) else {
      throw Problem(
        .unavailable,
        "Too many bytes of the history are being sent to other clients. Retry after the seconds in Retry-After.")
    }
    return .sliced(SlicedText(text.parts + [[UInt8(ascii: "\n")]], lease), mediaType: "application/json")
  }
}

// MARK: - Reverting

extension HistoryResource {
  /// Reverts the changes of one revision in a new revision.
  ///
  /// The revert succeeds only if every changed place is still as that revision left it. Later changes at other places
  /// are preserved.
  ///
  /// - Parameters:
  ///   - conditions: Compared with the ETag of the complete state, like those of a write to `/state`.
  ///   - metadata: What the history stores about the commit beside its changes.
  ///   - keyed: What identifies the request, if it has an idempotency key.
  ///   - completion: Called once with the response, on any thread, if this method does not throw.
  func revert(
    _ number: Int, _ conditions: Conditions, _ metadata: CommitMetadata, _ keyed: KeyedRequest?,
    completion: @escaping @Sendable (Result<Response, Problem>) -> Void
  ) throws(Problem) {
    guard number <= store.revision else {
      throw Problem(
        .noSuchElement, "Revision \(number) does not exist. The current revision is \(store.revision).")
    }
    guard let history else { throw Self.gone(number) }
    history.revisions(HistoryQuery(after: number - 1, limit: 1)) { [self] result in
      switch result {
      case .failure(let failure): completion(.failure(Problem(reading: failure)))
      case .success(let found):
        guard let revision = found.revisions.first, revision.number == number else {
          return completion(.failure(Self.gone(number)))
        }
        revert(revision, conditions, metadata, keyed, completion)
      }
    }
  }

  private static func gone(_ number: Int) -> Problem {
    Problem(.gone, "Revision \(number) is no longer stored, so it cannot be reverted.")
  }

  private func revert(
    _ revision: Revision, _ conditions: Conditions, _ metadata: CommitMetadata, _ keyed: KeyedRequest?,
    _ completion: @escaping @Sendable (Result<Response, Problem>) -> Void
  ) {
    guard let lease = writeBudget.lease(revision.byteCount) else {
      return completion(.failure(.tooManyPendingBytes))
    }
    let reversal: Reversal
    do throws(RestoreError) { reversal = try Reversal(of: revision) } catch {
      return completion(.failure(.cannotRestore(error, revision.number)))
    }
    let result = store.transact(
      attempts: StateResource<Root>.unlockedAttempts,
      { head in draft(reversal, conditions, metadata, keyed, on: head) },
      completion: { result in
        withExtendedLifetime(lease) {}
        switch result {
        case .success(let (response, _)): completion(response)
        case .failure(.overtaken): self.revert(revision, conditions, metadata, keyed, completion)
        case .failure(let failure): completion(.failure(Problem(failure)))
        }
      })
    if case .published(let response, _) = result { completion(response) }
  }

  /// Creates the draft of a revert. The store may call it while it holds its lock.
  ///
  /// - Returns: The response and the draft.
  private func draft(
    _ reversal: Reversal, _ conditions: Conditions, _ metadata: CommitMetadata, _ keyed: KeyedRequest?,
    on head: Snapshot<Root>
  ) -> (Result<Response, Problem>, Store<Root>.Draft) {
    do throws(Problem) {
      if let keyed, let known = try state.knownResult(of: keyed) {
        return (.success(try RecordedResponse(known).replayed { _ in nil }), .unchanged)
      }
      try state.check(conditions, in: head)
      let root = try root(reversal, from: head.root)
      if model.shape.areSame(root, head.root) {
        return (.success(Self.response(head.revision, changed: false)), .unchanged)
      }
      let revision = head.revision + 1
      let response = Self.response(revision, changed: true)
      return (.success(response), .changed(root, keyed.map { metadata.adding($0, response, revision) } ?? metadata))
    } catch {
      return (.failure(error), .unchanged)
    }
  }

  /// Returns the state without the changes of a revision.
  private func root(_ reversal: Reversal, from base: Root) throws(Problem) -> Root {
    var root = base
    var changedPointer: String?
    do throws(RestoreError) {
      changedPointer = try model.shape.firstChange(in: base, since: reversal.patch, reversal.decodedValues)
      if changedPointer == nil {
        try model.shape.restore(&root, reversal.undo, reversal.decodedValues)
        // `firstChange` does not compare the positions of moved elements. Applying the patch again to the reverted
        // state must give the current state; otherwise an element was moved since.
        if let moved = reversal.patch.firstMovedElement {
          var reapplied = root
          try model.shape.restore(&reapplied, reversal.patch, reversal.decodedValues)
          if !model.shape.areSame(reapplied, base) { changedPointer = moved }
        }
      }
    } catch { throw .cannotRestore(error, reversal.number) }
    if let changedPointer {
      throw Problem(
        .changedSince,
        "Revision \(reversal.number) cannot be reverted: “\(changedPointer)” was changed by a later revision."
      ).with { $0.pointer = changedPointer }
    }
    do throws(ValidationError) { try model.shape.check(root, since: base) } catch { throw Problem(error) }
    do throws(InvalidState) { _ = try model.settle(&root, from: base) } catch {
      throw Problem(.invalidState, error.message).with { $0.pointer = error.pointer }
    }
    return root
  }

  private static func response(_ revision: Int, changed: Bool) -> Response {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("revision", Int64(revision))
    writer.endObject()
    return Response(.ok, .json(writer.bytes), revision: revision, changed: changed)
  }
}

/// A revision that is to be reverted: its patches, parsed before the store is locked.
private struct Reversal {
  let number: Int
  let patch: StoredPatch
  let undo: StoredPatch
  /// The values of the patches that earlier attempts have decoded.
  let decodedValues = DecodedValues()

  init(of revision: Revision) throws(RestoreError) {
    number = revision.number
    patch = try StoredPatch(parsing: revision.patch)
    undo = try StoredPatch(parsing: revision.undo)
  }
}

extension Problem {
  /// The patches of a revision do not fit the types any more.
  fileprivate static func cannotRestore(_ error: RestoreError, _ number: Int) -> Problem {
    Problem(
      .changedSince, "Revision \(number) cannot be reverted: an earlier value cannot be restored: \(error.reason)."
    ).with { $0.pointer = error.pointer }
  }
}

/// The JSON of a page. A long patch is a part of its own, which shares its storage with the revision.
private struct PageText {
  private(set) var parts: [[UInt8]] = []
  private var writer = JSONWriter()

  private let usesIDs: Bool

  init(_ revisions: some Sequence<Revision>, oldest: Int, usesIDs: Bool) {
    self.usesIDs = usesIDs
    writer.beginObject()
    writer.key("revisions")
    writer.beginArray()
    for revision in revisions { write(revision) }
    writer.endArray()
    writer.member("oldest", Int64(oldest))
    writer.endObject()
    endPart()
  }

  var byteCount: Int { parts.reduce(0) { $0 + $1.count } }

  /// Writes a revision in the form of the API, with visible patches instead of stored ones.
  private mutating func write(_ revision: Revision) {
    writer.beginObject()
    writer.member("revision", Int64(revision.number))
    writer.member("at", Timestamp(milliseconds: Int(revision.timestamp)).text)
    writer.member("by", revision.metadata.author)
    writer.key("patch")
    write(patch: jsonPatch(revision.shown?.patch ?? revision.patch, revision.positions?.patch))
    writer.key("undo")
    write(patch: jsonPatch(revision.shown?.undo ?? revision.undo, revision.positions?.undo))
    writer.endObject()
  }

  private mutating func write(patch: [UInt8]) {
    guard patch.count > SlicedJSON.sliceBytes else { return writer.raw(patch) }
    // The writer takes it for an empty value, and separates the next one from it.
    writer.raw([])
    endPart()
    parts.append(patch)
  }

  private mutating func endPart() {
    parts.append(writer.bytes)
    writer.bytes = []
  }

  /// Returns a stored patch in the form of the API, or as it is stored if it cannot be parsed.
  ///
  /// - Parameter positions: The paths with positions; nil if no path has an element, so that the stored patch is a JSON
  ///   Patch already.
  private func jsonPatch(_ patch: [UInt8], _ positions: [UInt8]?) -> [UInt8] {
    guard let positions, let stored = try? StoredPatch(parsing: patch),
      let pointers = (try? JSONDocument(parsing: positions).root)?.elements.compactMap(\.string)
    else { return patch }
    return stored.jsonPatch(usesIDs ? nil : pointers)
  }
}

extension HistoryResource.Page {
  /// Returns the query of the next page.
  fileprivate func query(continuingAt revision: Int) -> String {
    var parameters = [before == nil ? "after=\(revision)" : "before=\(revision)"]
    if before != nil, let after { parameters.append("after=\(after)") }
    parameters.append("limit=\(limit)")
    if let path { parameters.append("path=\(PercentCoding.encoded(path))") }
    if usesIDs { parameters.append("ids") }
    if let history { parameters.append("history=\(history)") }
    return parameters.joined(separator: "&")
  }
}
