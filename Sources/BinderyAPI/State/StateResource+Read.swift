import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

extension StateResource {
  /// Handles `GET` and `HEAD` with a query or conditions.
  ///
  /// - Throws: `precondition-failed`, `malformed-query`, or the reason why there is no value.
  func read(_ request: StateRequest, in snapshot: Snapshot<Root>) throws(Problem) -> Response {
    let page = try page(request)
    let digest: Digest
    do throws(Absence) {
      digest = try self.digest(of: request, in: snapshot)
    } catch {
      guard request.conditions.ifMatchHolds(nil) else { throw failedPrecondition(request, in: snapshot) }
      throw Self.absent(error, in: snapshot)
    }
    guard request.conditions.ifMatchHolds(digest) else { throw failedPrecondition(request, in: snapshot) }
    let preference = request.preferences.readsNewest ? "read=newest" : nil
    guard request.conditions.ifNoneMatchHolds(digest) else {
      var response = Response(.notModified, etag: digest, revision: snapshot.revision, isRepresentation: true)
      response.addField(.preferenceApplied, preference)
      return response
    }
    var link: String?
    let reading: ReadOperation
    if let page {
      (reading, link) = try readPage(page, request, in: snapshot)
    } else {
      reading = try readValue(request.route, .json, in: snapshot, omittingComputed: request.isStoredOnly)
    }
    var response = Response(
      .ok, Self.content(reading, isPretty: request.isPretty), etag: digest, revision: snapshot.revision,
      isRepresentation: true)
    response.addField(.collectionCount, reading.elementCount.map(String.init))
    response.addField(.link, link)
    response.addField(.preferenceApplied, preference)
    return response
  }

  /// Returns the digest of the value that a request reads.
  private func digest(of request: StateRequest, in snapshot: Snapshot<Root>) throws(Absence) -> Digest {
    let path = request.readPath ?? ResolvedPath(request.route, request.template)
    return try path.digest(in: snapshot, of: model, key)
  }

  /// Handles `GET` and `HEAD` without a query and conditions.
  ///
  /// - Parameter buffer: An array whose storage the JSON reuses.
  /// - Returns: A response, or one that is encoded already and the buffer.
  /// - Throws: The reason why there is no value.
  func read(
    _ path: ResolvedPath, in snapshot: Snapshot<Root>, reusing buffer: consuming [UInt8]
  ) throws(Problem) -> Reply {
    let revision = snapshot.revision
    let known = path.digest(at: revision)
    let purpose = known == nil ? ReadOperation.Purpose.digestAndJSON : .json
    var reading = try readValue(
      path.route, purpose, in: snapshot, reusing: buffer, unless: path.stampOfResponse)
    if reading.isUnchanged, let encoded = path.confirm(at: revision) {
      return .encoded(encoded, reusable: reading.writer.takeBuffer())
    }
    guard let digest = known ?? reading.digest else {
      throw Self.absent(Absence(.nilOptional, depth: path.route.steps.count), in: snapshot)
    }
    var response = Response(
      .ok, Self.content(reading, isPretty: false), etag: digest, revision: revision, isRepresentation: true)
    if let count = reading.elementCount { response.addField(.collectionCount, String(count)) }
    // The second read at one revision is encoded for further ones, or the second read at all if the next one can find
    // out that the value is the same.
    let isRepeated = known != nil || path.wasRead && reading.stamp != nil
    let encoded = isRepeated ? response.encoded : nil
    path.record(digest, reading.stamp, at: revision, encoded)
    if let encoded { return .encoded(encoded, reusable: response.takeJSON()) }
    return .response(response)
  }

  /// Returns the problem of a read at an absent place.
  private static func absent(_ absence: Absence, in snapshot: Snapshot<Root>) -> Problem {
    Problem(absence).forRead.with { $0.revision = snapshot.revision }
  }

  /// Reads the complete value, or its first slice if it is long.
  func readValue(
    _ route: Route, _ purpose: ReadOperation.Purpose, in snapshot: Snapshot<Root>,
    reusing buffer: consuming [UInt8] = [], omittingComputed: Bool = false, unless knownStamp: UInt64? = nil
  ) throws(Problem) -> ReadOperation {
    var writer = JSONWriter(reusing: buffer, stoppingAt: SlicedJSON.sliceBytes)
    writer.omitsComputed = omittingComputed
    var reading = ReadOperation(purpose, key: key, writer: writer, unless: knownStamp)
    do throws(Absence) {
      try model.shape.visit(snapshot.root, route, 0, &reading)
    } catch { throw Self.absent(error, in: snapshot) }
    return reading
  }

  /// Reads a page of a collection.
  ///
  /// - Returns: The page, and the value of `Link` if there are pages beside it (RFC 8288).
  private func readPage(
    _ page: Page, _ request: StateRequest, in snapshot: Snapshot<Root>
  ) throws(Problem) -> (ReadOperation, link: String?) {
    let reading = try readValue(request.route, .page(page), in: snapshot)
    if let missing = reading.missingCursor {
      let parameter = missing === page.after ? "after" : "before"
      throw Problem(
        .noSuchElement,
        "The element “\(missing.text)” in “\(parameter)” does not exist. Start again without “\(parameter)”."
      ).with { $0.revision = snapshot.revision }
    }
    return (reading, links(beside: page, reading, request))
  }

  /// Returns the value of `Link` for a page, or nil if there are no pages beside it.
  private func links(beside page: Page, _ reading: ReadOperation, _ request: StateRequest) -> String? {
    let url = "<\(urlPath(request.segments))?\(request.isPretty ? "pretty&" : "")limit=\(page.limit)"
    var links: [String] = []
    if let next = reading.nextCursor {
      // If this page has both bounds, so do the pages after it.
      let bound = page.after == nil ? nil : page.before.map { "&before=\(PercentCoding.encoded($0.text))" }
      links.append("\(url)&after=\(PercentCoding.encoded(next))\(bound ?? "")>; rel=\"next\"")
    }
    if let previous = reading.previousCursor {
      links.append("\(url)&before=\(PercentCoding.encoded(previous))>; rel=\"prev\"")
    }
    return links.isEmpty ? nil : links.joined(separator: ", ")
  }

  /// Returns the page that the query requests, or nil if it requests the complete value.
  private func page(_ request: StateRequest) throws(Problem) -> Page? {
    guard case .elements(_, let info) = request.route.target.kind else { return nil }
    let limit = try request.query.number("limit", in: 1...1_000_000)
    let after = try request.query.id("after", info)
    let before = try request.query.id("before", info)
    if limit == nil, after == nil, before == nil { return nil }
    return Page(limit: limit ?? 1_000_000, after: after, before: before)
  }

  /// Returns the problem for a precondition that does not hold, with the current value and its entity tag.
  func failedPrecondition(_ request: StateRequest, in snapshot: Snapshot<Root>) -> Problem {
    failedPrecondition(request.conditions, try? readValue(request.route, .digestAndJSON, in: snapshot))
      .with { $0.revision = snapshot.revision }
  }

  /// Checks conditions on the complete state.
  ///
  /// - Throws: `precondition-failed`, with the current ETag alone: the state is long.
  func check(_ conditions: Conditions, in snapshot: Snapshot<Root>) throws(Problem) {
    if conditions.isEmpty { return }
    var reading = ReadOperation(.digest, key: key)
    reading.read(snapshot.root, model.shape)
    guard conditions.ifMatchHolds(reading.digest), conditions.ifNoneMatchHolds(reading.digest) else {
      throw failedPrecondition(conditions, reading)
    }
  }

  private func failedPrecondition(_ conditions: Conditions, _ current: ReadOperation?) -> Problem {
    let detail =
      if current == nil {
        "If-Match requires a value, but there is none at this path."
      } else if conditions.hasWeakIfMatch, conditions.ifMatch == .list([]) {
        """
        If-Match has a weak ETag, which matches nothing. A proxy that compresses responses makes ETags weak: send the \
        ETag without “W/”, or let the proxy not compress JSON.
        """
      } else if !conditions.ifMatchHolds(current?.digest) {
        """
        The ETag of the current value is not in If-Match. Check that your change is still correct, then retry with \
        “currentETag” as If-Match.
        """
      } else if conditions.requiresAbsence {
        "If-None-Match: * requires that there is no value at this path, but there is one."
      } else {
        "The ETag of the current value is in If-None-Match."
      }
    return Problem(.preconditionFailed, detail).with { problem in
      problem.currentETag = current?.digest?.tag
      problem.current = current?.shortJSON
    }
  }
}

extension Query {
  /// Returns the id of an element in a parameter; nil if it is missing.
  ///
  /// - Throws: `malformed-query` if the text is not an id.
  fileprivate func id(_ name: String, _ info: KeyInfo) throws(Problem) -> AnyKey? {
    guard let text = self[name] else { return nil }
    guard let id = info.parse(text.utf8Span.span) else {
      throw Problem(.malformedQuery, "Expected “\(name)” to be the id of an element, got “\(text)”.")
    }
    return id
  }
}
