import BinderyCore
import BinderyDigest

/// Writes with an idempotency key.
///
/// The result of a write that changed the state is a part of its commit: it is stored with the revision or not at all.
/// A write that changed nothing, or was rejected, leaves its key unused: a repetition is decided again, so that a
/// client can repeat a request after a 503 or a conflict.
extension StateResource {
  /// Decides a write unless its key is known.
  ///
  /// - Parameter decide: Decides the write and sets its result. Returns the next snapshot, or nil if nothing changes.
  /// - Returns: The next snapshot with the result of the write, or nil if nothing changes.
  func decide(
    _ keyed: KeyedRequest, _ request: StateRequest, _ metadata: CommitMetadata, on base: Snapshot<Root>,
    _ result: inout WriteResult, _ decide: (inout WriteResult) -> Snapshot<Root>?
  ) -> Snapshot<Root>? {
    do throws(Problem) {
      if let known = try knownResult(of: keyed) {
        result = .repeated(known)
        return nil
      }
    } catch {
      result = .rejected(error)
      return nil
    }
    guard let next = decide(&result) else { return nil }
    do throws(Problem) {
      let response = try respond(request, result, next)
      result = .recorded(response)
      return next.with(metadata.adding(keyed, response, next.revision))
    } catch {
      result = .rejected(error)
      return nil
    }
  }

  /// Returns the result of a request if it has changed the state before.
  ///
  /// - Throws: `idempotency-key-reused` if another request with this key has.
  func knownResult(of request: KeyedRequest) throws(Problem) -> KeyedResult? {
    guard let known = store.keyedResults.find(request.key, now: request.time) else { return nil }
    guard known.fingerprint == request.fingerprint else { throw .idempotencyKeyReused }
    return known
  }

  /// Returns the response to a repetition of a write.
  func replay(_ result: KeyedResult, _ request: StateRequest, in snapshot: Snapshot<Root>) throws(Problem) -> Response {
    try RecordedResponse(result).replayed { etag in
      let value = representation(of: request.route, request, in: snapshot)
      return value?.digest == etag ? value?.content : nil
    }
  }
}

extension CommitMetadata {
  /// Returns the metadata with the result of a request.
  func adding(_ request: KeyedRequest, _ response: Response, _ revision: Int) -> CommitMetadata {
    CommitMetadata(
      author: author,
      keyedResult: KeyedResult(
        key: request.key, fingerprint: request.fingerprint, revision: revision, time: request.time,
        response: RecordedResponse(response).json))
  }
}
