import BinderyCore
import BinderyDigest
import BinderyHTTP

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
    let recorded = try RecordedResponse(result)
    return recorded.replayed { etag in
      let route = addedElement(recorded.response, request) ?? request.route
      let value = representation(of: route, request, in: snapshot)
      return value?.digest == etag ? value?.content : nil
    }
  }

  /// Returns the route of the element that a request has added, which the response names; nil for other requests.
  private func addedElement(_ response: Response, _ request: StateRequest) -> Route? {
    guard request.method == .post, let location = response.field(.location),
      let target = try? RequestTarget(path: Array(location.utf8)[...]), let key = target.segments.last
    else { return nil }
    return request.route.resolving([key], form: .url)
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
