import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// The `/history` resource: lists the stored revisions, and reverts the changes of one.
final class HistoryResource<Root: Sendable>: Sendable {
  let state: StateResource<Root>
  /// The source of stored revisions; nil if the store keeps no history.
  let history: (any History)?
  /// Counts the bytes of long pages that are being sent.
  private let responseBudget: Budget
  /// Counts the bytes of writes that wait for the journal.
  let writeBudget: Budget

  init(
    _ state: StateResource<Root>, _ history: (any History)?, responses: Budget, writes: Budget
  ) {
    self.state = state
    self.history = history
    responseBudget = responses
    writeBudget = writes
  }

  var store: Store<Root> { state.store }
  var model: ModelDefinition<Root> { state.model }

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
    /// Whether the client prefers a page that no other server's commits are missing from.
    let readsNewest: Bool

    static var parameters: [String] { ["after", "before", "history", "ids", "limit", "path"] }

    init(_ query: Query, readsNewest: Bool) throws(Problem) {
      self.readsNewest = readsNewest
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
  /// - Parameters:
  ///   - isAbandoned: Returns whether the client has disconnected. Called on another thread.
  ///   - completion: Called once with the response, on another thread, if the returned response is nil.
  /// - Returns: The response if it is available without waiting; otherwise nil.
  /// - Throws: A problem with status 410 if the first revision of the page is no longer stored.
  func list(
    _ page: Page, unless isAbandoned: @escaping @Sendable () -> Bool,
    completion: @escaping @Sendable (Result<Response, Problem>) -> Void
  ) throws(Problem) -> Response? {
    // A revision that the storage already has and the store has not published yet comes with a later page.
    let published = store.revision
    guard let history else {
      _ = try page.path.map(filter)
      return try response(HistoryPage(revisions: [], oldest: published + 1), page, published)
    }
    let query = HistoryQuery(
      after: page.after, before: page.before.map { min($0, published + 1) }, limit: page.limit,
      includes: try page.path.map(filter), isAbandoned: isAbandoned)
    history.revisions(query) { [self] result in
      completion(
        Result { () throws(Problem) in
          switch result {
          case .success(let found): try response(found, page, published)
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

  /// Returns whether a history that a client names is not the one that this server knows, but may be the current one.
  /// A check of the storage decides that.
  func mustConfirm(history: String?) -> Bool {
    store.isShared && history != nil && history != store.history.text
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

  /// - Parameter published: The published revision before the page was read.
  private func response(_ found: HistoryPage, _ page: Page, _ published: Int) throws(Problem) -> Response {
    // The comparison subtracts from `oldest` because `after` can be `Int.max`, and adding 1 to it would overflow.
    if let after = page.after, after < found.oldest - 1 {
      throw Problem(
        .gone, "Revision \(after + 1) is no longer stored. The oldest stored revision is \(found.oldest).")
    }
    let revisions = found.revisions.prefix { $0.number <= published }
    let text = PageText(revisions, oldest: found.oldest, usesIDs: page.usesIDs)
    var response = Response(.ok, try content(text), revision: published)
    response.isVolatile = true
    response.addField(.preferenceApplied, page.readsNewest ? "read=newest" : nil)
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
