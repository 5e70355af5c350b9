import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

/// `/history`: the revisions that are kept, and a way back from each.
final class HistoryResource<Root: Model>: Sendable {
  private let store: Store<Root>
  /// nil where nothing is kept.
  private let history: (any History)?

  init(_ store: Store<Root>, _ history: (any History)?) {
    self.store = store
    self.history = history
  }

  static var segment: String { "history" }
  static var allowed: String { "GET, HEAD, OPTIONS" }
  static var allowedForRevert: String { "POST, OPTIONS" }

  /// What a path below `/history` means.
  enum Place {
    case list
    case revert(Int)
  }

  func place(_ target: RequestTarget) throws(Problem) -> Place {
    let rest = Array(target.segments.dropFirst())
    if rest.isEmpty { return .list }
    guard rest.count == 2, rest[1] == "revert", let number = Int(rest[0]), number > 0, String(number) == rest[0] else {
      throw Problem(.unknownPath, "Revisions are listed at /history, and taken back at /history/REVISION/revert.")
    }
    return .revert(number)
  }

  /// The page that a query asks for.
  struct Page {
    let after: Int?
    let limit: Int

    init(_ query: Query) throws(Problem) {
      after = try query.number("after", in: 0...Int.max)
      limit = try query.number("limit", in: 1...1_000) ?? 100
    }
  }

  /// Reads some revisions.
  ///
  /// - Parameter completion: called once with the answer if the result is nil.
  func list(
    _ page: Page, completion: @escaping @Sendable (Result<Response, Problem>) -> Void
  ) throws(Problem) -> Response? {
    guard let history else {
      return try response(HistoryPage(revisions: [], oldest: store.revision + 1), page)
    }
    history.revisions(after: page.after, limit: page.limit) { [self] result in
      completion(
        Result { () throws(Problem) in
          switch result {
          case .success(let found): try response(found, page)
          case .failure(let failure): throw Problem(failure)
          }
        })
    }
    return nil
  }

  private func response(_ found: HistoryPage, _ page: Page) throws(Problem) -> Response {
    // Whatever is asked for: the next number of the last one there is would be one too many.
    if let after = page.after, after < found.oldest - 1 {
      throw Problem(.gone, "Revision \(after + 1) is no longer kept; the oldest is \(found.oldest).")
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("revisions")
    writer.beginArray()
    for one in found.revisions { one.write(to: &writer) }
    writer.endArray()
    writer.key("oldest")
    writer.integer(Int64(found.oldest))
    writer.endObject()
    var response = Response(.ok, .whole(writer.bytes))
    response.isVolatile = true
    if let last = found.revisions.last, last.number < store.revision {
      response.say(.link, "</history?after=\(last.number)&limit=\(page.limit)>; rel=\"next\"")
    }
    return response
  }
}

// MARK: Reverting

extension HistoryResource {
  /// Takes back what a revision has changed, if all of it is still as that revision left it.
  ///
  /// - Parameter completion: called once with the answer if nothing is thrown.
  func revert(
    _ number: Int, completion: @escaping @Sendable (Result<Response, Problem>) -> Void
  ) throws(Problem) {
    guard number <= store.revision else { throw Problem(.noSuchElement, "There is no revision \(number) yet.") }
    guard let history else { throw Self.gone(number) }
    history.revisions(after: number - 1, limit: 1) { [self] result in
      switch result {
      case .failure(let failure): completion(.failure(Problem(failure)))
      case .success(let found):
        guard let revision = found.revisions.first, revision.number == number else {
          return completion(.failure(Self.gone(number)))
        }
        undo(revision, completion)
      }
    }
  }

  private static func gone(_ number: Int) -> Problem { Problem(.gone, "Revision \(number) is no longer kept.") }

  private func undo(_ revision: Revision, _ completion: @escaping @Sendable (Result<Response, Problem>) -> Void) {
    let settlement = store.transact(
      { head in Self.decide(revision, on: head) },
      completion: { result in
        switch result {
        case .success(let (problem, snapshot)): completion(Self.response(problem, snapshot, revision))
        case .failure(let failure): completion(.failure(Problem(failure)))
        }
      })
    if case .now(let problem, let snapshot) = settlement { completion(Self.response(problem, snapshot, revision)) }
  }

  /// Runs under the store's lock.
  private static func decide(_ revision: Revision, on head: Snapshot<Root>) -> (Problem?, Store<Root>.Draft) {
    do throws(Problem) {
      let root = try undone(revision, head.root)
      return (nil, Root.shape.areSame(root, head.root) ? .unchanged : .changed(root))
    } catch {
      return (error, .unchanged)
    }
  }

  private static func undone(_ revision: Revision, _ base: Root) throws(Problem) -> Root {
    var root = base
    var changed: String?
    do throws(RestoreError) {
      let patch = try StoredPatch(parsing: revision.patch)
      changed = try Root.shape.firstChange(in: base, since: patch)
      if changed == nil {
        try Root.shape.restore(&root, try StoredPatch(parsing: revision.undo))
        // Where things were moved, they must still stand where they were moved to: doing it again leads back here.
        if let moved = patch.firstMove {
          var again = root
          try Root.shape.restore(&again, patch)
          if !Root.shape.areSame(again, base) { changed = moved }
        }
      }
    } catch {
      throw Problem(.changedSince, "What stood there cannot be put back: \(error.reason).")
        .with { $0.pointer = error.pointer }
    }
    if let changed {
      throw Problem(.changedSince, "“\(changed)” is not as revision \(revision.number) has left it.")
        .with { $0.pointer = changed }
    }
    do throws(ValidationError) { try Root.shape.check(root, since: base) } catch { throw Problem(error) }
    do throws(InvalidState) { try root.settle(from: base) } catch {
      throw Problem(.invalidState, error.message).with { $0.pointer = error.pointer }
    }
    return root
  }

  private static func response(
    _ problem: Problem?, _ snapshot: Snapshot<Root>, _ revision: Revision
  ) -> Result<Response, Problem> {
    if let problem { return .failure(problem) }
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("revision")
    writer.integer(Int64(snapshot.revision))
    writer.endObject()
    return .success(Response(.ok, .whole(writer.bytes), revision: snapshot.revision))
  }
}

extension Revision {
  /// As people see it.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("revision")
    writer.integer(Int64(number))
    writer.key("at")
    writer.string(Timestamp(milliseconds: Int(at)).text)
    writer.key("patch")
    writer.raw(shown?.patch ?? Self.shown(patch))
    writer.key("undo")
    writer.raw(shown?.undo ?? Self.shown(undo))
    writer.endObject()
  }

  /// A patch that cannot be read any more is left as it was kept.
  private static func shown(_ patch: [UInt8]) -> [UInt8] { (try? StoredPatch(parsing: patch))?.shown ?? patch }
}

extension Problem {
  /// What a write is answered with that the journal cannot keep.
  init(_ failure: JournalFailure) {
    switch failure {
    case .full(let reason): self.init(.insufficientStorage, reason)
    case .unavailable(let reason): self.init(.unavailable, reason)
    }
  }
}
