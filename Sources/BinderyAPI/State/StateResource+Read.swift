import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

extension StateResource {
  /// The places that the parameters `path` name, as pointers into the state.
  func watched(_ paths: [String], atMost limit: Int) throws(Problem) -> [(route: Route, path: String)] {
    guard !paths.isEmpty else { throw Problem(.malformedQuery, "Name at least one place: /events?path=/time") }
    guard paths.count <= limit else { throw Problem(.malformedQuery, "A stream carries at most \(limit) paths.") }
    var places: [(route: Route, path: String)] = []
    for path in paths {
      // The slash alone is the root here, as it is of a URL's path.
      guard let segments = path == "/" ? [] : Pointer.segments(of: path),
        let route = root.resolving(segments, form: .url)
      else {
        throw Problem(.unknownPath, "The types of the state have no place “\(path)”.").with { $0.pointer = path }
      }
      places.append((route, Pointer.text(segments)))
    }
    return places
  }

  /// `GET` and `HEAD`: reads through the binding.
  ///
  /// - Returns: the answer where it is long; nil where it is written.
  func read(
    _ request: StateRequest, _ place: CachedRoute, in snapshot: Snapshot<Root>, into output: inout ResponseWriter
  ) throws(Problem) -> ChunkedResponse? {
    let page = try page(request)
    let digest: Digest
    let fields: FieldLines
    do throws(Absence) {
      digest = try place.digest(in: snapshot, key)
      fields = try place.fields(in: snapshot, key)
    } catch {
      guard request.conditions.matchHolds(nil) else { throw failedPrecondition(request, in: snapshot) }
      throw Problem(error).asRead(cases(at: error, request.route))
    }
    guard request.conditions.matchHolds(digest) else { throw failedPrecondition(request, in: snapshot) }
    guard request.conditions.noneMatchHolds(digest) else {
      output.start(.notModified)
      output.append(fields)
      output.finish()
      return nil
    }
    if page == nil, !request.isPretty, let answer = place.answer(in: snapshot, after: fields) {
      output.start(.ok)
      output.finish(answer)
      return nil
    }
    let reading: ReadOperation
    var all = fields
    if let page {
      let link: String?
      (reading, link) = try read(page, request, in: snapshot)
      if let link {
        all = FieldLines { output in
          output.append(fields)
          output.field(.link, link)
        }
      }
    } else {
      reading = try self.reading(request, in: snapshot)
    }
    if let content = SlicedJSON(reading, isPretty: request.isPretty) { return ChunkedResponse(.ok, all, content) }
    if page == nil, !request.isPretty { place.remember(reading.writer.bytes, in: snapshot, after: fields) }
    output.start(.ok)
    output.append(all)
    output.append(Response.contentType)
    output.finish(content: Self.content(reading.writer.bytes, request))
    return nil
  }

  /// The whole of a place that is there, or the first slice of it.
  private func reading(_ request: StateRequest, in snapshot: Snapshot<Root>) throws(Problem) -> ReadOperation {
    var reading = ReadOperation(.json, key: key, writer: JSONWriter(stoppingAt: SlicedJSON.sliceBytes))
    do throws(Absence) {
      try Root.shape.visit(snapshot.root, request.route, 0, &reading)
    } catch { throw Problem(error).asRead(nil) }
    return reading
  }

  /// A page of a collection, and the link to the next one.
  private func read(
    _ page: Page, _ request: StateRequest, in snapshot: Snapshot<Root>
  ) throws(Problem) -> (ReadOperation, link: String?) {
    guard let reading = self.place(request, in: snapshot, .page(page)).reading, !reading.hasLostCursor else {
      throw Problem(.noSuchElement, "There is no element “\(page.after?.text ?? "")” to begin after.")
    }
    let link = reading.nextAfter.map { after in
      "<\(request.path)?limit=\(page.limit)&after=\(PercentCoding.encoded(after))>; rel=\"next\""
    }
    return (reading, link)
  }

  static func content(_ compact: [UInt8], _ request: StateRequest) -> [UInt8] {
    request.isPretty ? prettyPrinted(compact.span) + [UInt8(ascii: "\n")] : compact
  }

  /// What stands at the place, or why nothing does; of a long text the first slice.
  func place(
    _ request: StateRequest, in snapshot: Snapshot<Root>, _ purpose: ReadOperation.Purpose
  ) -> (reading: ReadOperation?, absence: Absence?) {
    var reading = ReadOperation(purpose, key: key, writer: JSONWriter(stoppingAt: SlicedJSON.sliceBytes))
    do throws(Absence) {
      try Root.shape.visit(snapshot.root, request.route, 0, &reading)
      return (reading, nil)
    } catch {
      return (nil, error)
    }
  }

  /// The page that the query asks for; nil for the whole.
  private func page(_ request: StateRequest) throws(Problem) -> Page? {
    guard case .elements(_, let info) = request.route.target.kind else { return nil }
    let limit = try request.query.number("limit", in: 1...1_000_000)
    var after: AnyKey?
    if let text = request.query["after"] {
      after = info.parse(text.utf8Span.span)
      guard after != nil else { throw Problem(.malformedQuery, "“after” is not an id of this collection.") }
    }
    guard limit != nil || after != nil else { return nil }
    return Page(limit: limit ?? 1_000_000, after: after)
  }

  /// The names of the cases where an address met another one.
  func cases(at absence: Absence, _ route: Route) -> [String]? {
    guard case .inactiveCase = absence.reason,
      case .sum(let cases)? = Root.shape.type.following(route.steps.prefix(absence.depth))?.kind
    else { return nil }
    return cases.map(\.name)
  }

  func failedPrecondition(_ request: StateRequest, in snapshot: Snapshot<Root>) -> Problem {
    let found = place(request, in: snapshot, .digestAndJSON)
    let detail = found.reading == nil ? "There is nothing here now." : "The value here is another one now."
    return Problem(.preconditionFailed, detail).with { problem in
      problem.currentETag = found.reading?.digest?.tag
      // What is long is not worth a problem, which is written at once: `GET` gives it.
      if found.reading?.rest == nil { problem.current = found.reading?.writer.bytes }
    }
  }
}

extension Problem {
  /// For a reader every absence is a 404.
  func asRead(_ cases: [String]?) -> Problem {
    with { problem in
      problem.status = .notFound
      problem.cases = cases
    }
  }
}
