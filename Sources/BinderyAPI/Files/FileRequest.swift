import BinderyDigest
import BinderyHTTP

/// A checked request for a file. A thread that may block opens the file and decides on the response.
struct FileRequest: Sendable {
  /// The path, whose segments are names of folders and files.
  let target: RequestTarget
  /// The URL of the path with a final slash, to which a request for a folder is redirected.
  let folderLocation: String
  let isHead: Bool
  let conditions: Conditions
  /// The value of `Range`, and that of `If-Range`; nil if there is none, or if it does not apply.
  let range: [UInt8]?
  let ifRange: [UInt8]?

  /// - Throws: `malformed-header`.
  init(
    _ target: RequestTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ basePath: BasePath
  ) throws(Problem) {
    self.target = target
    isHead = head.method == .head
    conditions = try Conditions(head, bytes)
    let path = basePath.text + target.segments.map { "/" + PercentCoding.encoded($0) }.joined() + "/"
    folderLocation = path + (head.query.map { "?" + bytes.text($0) } ?? "")
    // Ranges are defined for GET only (RFC 9110 §14.2). Several fields would be several ranges.
    var ranges: [[UInt8]] = []
    if head.method == .get { head.forEach(.range) { ranges.append(bytes.slice($0)) } }
    range = ranges.count == 1 ? ranges[0] : nil
    ifRange = head.first(.ifRange).map { bytes.slice($0) }
  }

  /// The name of the document of a folder.
  static let index = "index.html"

  /// Opens the file and reads its first bytes. Blocks.
  ///
  /// - Parameters:
  ///   - key: The key of entity tags.
  ///   - budget: Limits the long files that are sent at the same time.
  func respond(from source: any FileSource, _ key: DigestKey, _ budget: Budget) -> FileResponse {
    let isFolder = target.isFolder || target.segments.isEmpty
    switch source.open(isFolder ? target.segments + [Self.index] : target.segments) {
    case .file(let file):
      do throws(Problem) { return try respond(with: file, key, budget) } catch { return .problem(error) }
    case .folder where !isFolder:
      guard case .file = source.open(target.segments + [Self.index]) else { return .missing }
      return .redirect(folderLocation)
    case .folder, .nothing: return .missing
    case .failed(let problem): return .problem(problem)
    }
  }

  private func respond(
    with file: SourceFile, _ key: DigestKey, _ budget: Budget
  ) throws(Problem) -> FileResponse {
    let digest = key.leaf(Array(file.version.utf8).span)
    guard conditions.ifMatchHolds(digest) else { throw .documentChanged(digest) }
    let fields = FieldLines { output in
      output.field(.etag, digest)
      output.field(.cacheControl, "no-cache")
    }
    guard conditions.ifNoneMatchHolds(digest) else { return .notModified(fields) }
    var part: Range<Int>?
    if let range, ifRange.map({ Conditions.isStrongMatch($0.span, digest) }) ?? true {
      switch ByteRange(range, size: file.size) {
      case .ignored: break
      case .bytes(let bytes): part = bytes
      case .unsatisfiable: throw .rangeNotSatisfiable(size: file.size)
      }
    }
    let range = part ?? 0..<file.size
    let first = isHead ? range.lowerBound..<range.lowerBound : range.prefix(SlicedJSON.sliceBytes)
    let rest = isHead ? range.upperBound..<range.upperBound : first.upperBound..<range.upperBound
    let lease = rest.isEmpty ? nil : budget.lease(SlicedJSON.sliceBytes)
    guard rest.isEmpty || lease != nil else { throw .tooManyFiles }
    guard let bytes = file.read(first) else {
      throw Problem(.unavailable, "The file was changed while it was read. Retry after the seconds in Retry-After.")
    }
    let contentFields = FieldLines { output in
      output.append(fields)
      output.field(custom: "Accept-Ranges", "bytes")
      if let part {
        output.field(custom: "Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)")
      }
      output.field(.contentType, file.mediaType)
      if file.mediaType.hasPrefix("text/html") { output.field(.contentSecurityPolicy, "frame-ancestors 'none'") }
    }
    return .content(
      FileContent(
        status: part == nil ? .ok : .partialContent, fields: contentFields, length: range.count, firstSlice: bytes,
        rest: rest.isEmpty ? nil : FileContent.Rest(file: file, range: rest, lease: lease)))
  }
}

/// A response to a request for a file.
enum FileResponse: Sendable {
  case content(FileContent)
  case notModified(FieldLines)
  case redirect(String)
  /// There is no file that may be served.
  case missing
  case problem(Problem)
}

/// The content of a file, or a part of it.
struct FileContent: Sendable {
  let status: HTTPStatus
  /// All header fields except `Content-Length`.
  let fields: FieldLines
  /// The number of bytes of the content.
  let length: Int
  let firstSlice: [UInt8]
  /// The content after the first slice; nil if there is none, so that the file is closed.
  let rest: Rest?

  /// The part of a long file that is not read yet.
  struct Rest: Sendable {
    let file: SourceFile
    /// The bytes to read.
    var range: Range<Int>
    /// Counts the file as one of those that are being sent.
    let lease: Budget.Lease?

    /// Removes the next slice from the range, and returns its range.
    mutating func takeSlice() -> Range<Int> {
      let slice = range.prefix(SlicedJSON.sliceBytes)
      range = slice.upperBound..<range.upperBound
      return slice
    }
  }
}

extension Problem {
  fileprivate static func rangeNotSatisfiable(size: Int) -> Problem {
    Problem(.rangeNotSatisfiable, "The file has \(size) bytes, and none of them is in the range. Send another Range.")
      .with { $0.fields = [(.contentRange, "bytes */\(size)")] }
  }

  fileprivate static var tooManyFiles: Problem {
    Problem(.unavailable, "Too many long files are being sent. Retry after the seconds in Retry-After.")
  }
}
