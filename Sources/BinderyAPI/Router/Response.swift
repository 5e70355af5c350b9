import BinderyCore
import BinderyDigest
package import BinderyHTTP
import BinderyJSON

/// A response whose content is JSON, before it is written as bytes.
package struct Response: Sendable {
  enum Content: Sendable {
    case none
    /// JSON without the newline that every response ends in.
    case complete([UInt8])
    /// Indirect, because long content is rare and every response is copied.
    indirect case sliced(any SlicedContent)
  }

  let status: HTTPStatus
  private(set) var content: Content
  let etag: Digest?
  let revision: Int?
  /// The value of `State-Changed`: whether the request changed the state.
  let changed: Bool?
  let outcome: WriteOutcome
  /// Fields that few responses have, in order. One array, because a response is copied more often than these are set.
  private var otherFields: [(name: FieldName, value: String)] = []
  /// Indicates that caches must not store the response.
  var isVolatile = false

  /// Creates a response with the properties that most responses have. Setting them later would copy the response.
  init(
    _ status: HTTPStatus, _ content: Content = .none, etag: Digest? = nil, revision: Int? = nil, changed: Bool? = nil,
    outcome: WriteOutcome = .applied
  ) {
    self.status = status
    self.content = content
    self.etag = etag
    self.revision = revision
    self.changed = changed
    self.outcome = outcome
  }

  /// Adds a header field, unless the value is nil.
  mutating func addField(_ name: FieldName, _ value: String?) {
    if let value { otherFields.append((name, value)) }
  }

  /// Writes the complete response. The usual response to a write is copied from a template.
  func write(to output: inout ResponseWriter, using templates: inout WriteResponseTemplates) {
    guard case .complete(let content) = content, let etag, let revision, let changed, outcome == .applied,
      otherFields.isEmpty, !isVolatile, status.allowsContent, WriteResponseTemplates.canWrite(content)
    else { return write(to: &output) }
    output.start(status)
    templates.finish(content, etag: etag, revision: revision, changed: changed, to: &output)
  }

  /// Writes the complete response. Sliced content is not written: see ``chunked``.
  package func write(to output: inout ResponseWriter) {
    output.start(status)
    guard case .complete(let content) = content else {
      writeFields(to: &output)
      return output.finish()
    }
    output.append(Self.contentType)
    writeFields(to: &output)
    output.finish(line: content)
  }

  /// Removes and returns the content, if it is complete.
  mutating func takeContent() -> [UInt8]? {
    var taken = Content.none
    swap(&taken, &content)
    guard case .complete(let bytes) = consume taken else { return nil }
    return bytes
  }

  /// Indicates whether the content is written slice by slice.
  var isSliced: Bool { if case .sliced = content { true } else { false } }

  /// The response for writing slice by slice, or nil if the content is not sliced.
  var chunked: ChunkedResponse? {
    guard case .sliced(let content) = content else { return nil }
    return ChunkedResponse(status, FieldLines(writeFields), content, isUnchanged: changed == false)
  }

  private func writeFields(to output: inout ResponseWriter) {
    writeOtherFields(to: &output)
    output.fields(upTo: Self.stateFieldBytes) { writeStateFields(to: &$0) }
  }

  /// Writes the fields about the version of the state.
  private func writeStateFields(to fields: inout OutputSpan<UInt8>) {
    if let etag { fields.appendField(.etag) { etag.write(asTagInto: &$0) } }
    if let revision { fields.appendField(.stateRevision, revision) }
  }

  private func writeOtherFields(to output: inout ResponseWriter) {
    if let changed { output.append(changed ? Self.changedField : Self.unchangedField) }
    switch outcome {
    case .applied: break
    case .adjusted: output.field(.writeOutcome, "adjusted")
    case .dropped: output.field(.writeOutcome, "dropped")
    }
    for (name, value) in otherFields { output.field(name, value) }
    if isVolatile { output.field(.cacheControl, "no-store") }
  }

  /// The maximum size of `ETag` and `State-Revision` in bytes, with their line ends.
  private static var stateFieldBytes: Int { 32 + 37 }

  // Fields of most responses, formatted once.
  static let contentType = FieldLines { $0.field(.contentType, "application/json") }

  /// Returns the fields `Content-Type` and `State-Changed`.
  static func kind(changed: Bool) -> FieldLines {
    FieldLines { output in
      output.append(contentType)
      output.append(changed ? changedField : unchangedField)
    }
  }

  private static let changedField = FieldLines { $0.field(.stateChanged, "?1") }
  private static let unchangedField = FieldLines { $0.field(.stateChanged, "?0") }
}

// MARK: The response to a write

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
    case .alreadyAbsent:
      return Response(.noContent, revision: snapshot.revision, changed: false)
    case .completed(let changed, let created, let outcome, let newKey, let written):
      // Pattern matching, because `==` would be a call into another module.
      let isAddition = if case .post = request.method { true } else { false }
      let isRemoval = if case .delete = request.method { true } else { false }
      let added = isAddition ? place(of: newKey, request) : nil
      let shown = representation(
        of: added?.route ?? request.route, isAddition ? nil : written, request, in: snapshot, reusing: buffer)
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
  ///
  /// - Parameter written: The change of the value, if the write has recorded it.
  private func representation(
    of route: Route, _ written: Change?, _ request: StateRequest, in snapshot: Snapshot<Root>,
    reusing buffer: consuming [UInt8]
  ) -> Representation? {
    let purpose = request.preferences.isMinimal ? ReadOperation.Purpose.digest : .digestAndJSON
    let writer = JSONWriter(reusing: buffer, stoppingAt: SlicedJSON.sliceBytes)
    var reading = ReadOperation(purpose, key: key, writer: writer)
    if let written {
      written.read(&reading)
    } else {
      do { try model.shape.visit(snapshot.root, route, 0, &reading) } catch { return nil }
    }
    return Representation(content: Self.content(reading, request), digest: reading.digest)
  }

  /// Returns the content of a response with JSON, indented if the request asks for it.
  static func content(_ compact: [UInt8], _ request: StateRequest) -> [UInt8] {
    request.isPretty ? prettyPrinted(compact.span) : compact
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

extension ResponseWriter {
  /// Appends a field with a digest as an entity tag (RFC 9110 §8.8.3).
  mutating func field(_ name: FieldName, _ digest: Digest) {
    field(name, upTo: Digest.textLength + 2) { digest.write(asTagInto: &$0) }
  }
}

extension Digest {
  /// Appends the digest as an entity tag.
  fileprivate func write(asTagInto output: inout OutputSpan<UInt8>) {
    output.append(UInt8(ascii: "\""))
    write(into: &output)
    output.append(UInt8(ascii: "\""))
  }

  /// The digest as an entity tag, in quotes.
  var tag: String { "\"\(text)\"" }
}
