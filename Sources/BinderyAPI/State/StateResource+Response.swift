import BinderyCore
import BinderyDigest
import BinderyHTTP
import BinderyJSON

extension StateResource {
  /// Returns the response to a write.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot that the write was decided on, or the one that it created.
  ///   - buffer: A buffer for the JSON of the value, whose content is replaced.
  func respond(
    _ request: StateRequest, _ result: consuming WriteResult, _ snapshot: Snapshot<Root>,
    reusing buffer: consuming [UInt8] = []
  ) throws(Problem) -> Response {
    switch consume result {
    case .rejected(let problem): throw problem
    case .preconditionFailed, .failed: preconditionFailure("`write` turns it into a problem")
    case .recorded(let response): return response
    case .repeated(let result): return try replay(result, request, in: snapshot)
    case .alreadyAbsent:
      return Response(.noContent, revision: snapshot.revision, changed: false)
    case .completed(let changed, let created, let outcome, let newKey, var written):
      // Pattern matching, because `==` would be a call into another module.
      let isAddition = if case .post = request.method { true } else { false }
      let isRemoval = if case .delete = request.method { true } else { false }
      let added = isAddition ? place(of: newKey, request) : nil
      if isAddition { written = nil }
      var shown = representation(
        of: added?.route ?? request.route, written: written, request, in: snapshot, reusing: buffer)
      let isEmpty = request.preferences.isMinimal || isRemoval
      var response = Response(
        created ? .created : isEmpty || shown == nil ? .noContent : .ok,
        isEmpty ? .none : shown?.takeContent() ?? .none, etag: shown?.digest,
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
  ///
  /// - Parameter written: The change of the value, if the write has recorded it.
  func representation(
    of route: Route, written: Change? = nil, _ request: StateRequest, in snapshot: Snapshot<Root>,
    reusing buffer: consuming [UInt8] = []
  ) -> Representation? {
    var writer = JSONWriter(reusing: buffer, stoppingAt: SlicedJSON.sliceBytes)
    if let digest = written?.write(into: &writer, key) {
      let json = request.isPretty ? prettyPrinted(writer.bytes.span) : writer.takeBuffer()
      return Representation(content: .json(json), digest: digest)
    }
    if writer.hasStopped { writer = JSONWriter(stoppingAt: SlicedJSON.sliceBytes) }
    let purpose = request.preferences.isMinimal ? ReadOperation.Purpose.digest : .digestAndJSON
    var reading = ReadOperation(purpose, key: key, writer: writer)
    if let written {
      written.read(&reading)
    } else {
      do { try model.shape.visit(snapshot.root, route, 0, &reading) } catch { return nil }
    }
    return Representation(content: Self.content(reading, isPretty: request.isPretty), digest: reading.digest)
  }

  /// Returns the content of a response with JSON, indented if the request asks for it.
  static func content(_ reading: ReadOperation, isPretty: Bool) -> Response.Content {
    if let content = SlicedJSON(reading, isPretty: isPretty) {
      return .sliced(content, mediaType: "application/json")
    }
    return .json(isPretty ? prettyPrinted(reading.writer.bytes.span) : reading.writer.bytes)
  }
}

/// The value that the response to a write shows.
struct Representation {
  private(set) var content: Response.Content
  let digest: Digest?

  /// Removes and returns the content. Moving it saves a copy in every response.
  mutating func takeContent() -> Response.Content {
    var taken = Response.Content.none
    swap(&taken, &content)
    return taken
  }
}
