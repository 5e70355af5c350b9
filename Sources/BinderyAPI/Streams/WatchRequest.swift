import BinderyCore
import BinderyHTTP
import BinderyJSON
import BinderyText

/// A place that a client asks to watch.
struct WatchRequest {
  let route: Route
  /// The path as the client spelled it.
  let path: String
  /// Whether events have only the ETag of the value and the number of its elements.
  var isShallow = false
  /// The content that the client has; nil if it is not known.
  var known: PlaceContent?
}

extension StateResource {
  /// Resolves a path of `/events` or `/history`.
  ///
  /// - Parameter path: A JSON Pointer into the state, as sent.
  /// - Throws: `unknown-path`.
  func watchRequest(_ path: String) throws(Problem) -> WatchRequest {
    guard !path.hasTooManyMarks else {
      throw Problem(.unknownPath, "The path has more than 30 combining marks in a row.").with { $0.pointer = path }
    }
    // A lone slash is the root here, as it is in the path of a URL. As a JSON Pointer it would be an empty key.
    guard let segments = path == "/" ? [] : RequestTarget.segments(of: path) else {
      let advice = path.hasPrefix("/") ? "write “~” as “~0”" : "expected a slash first, as in “/\(path)”"
      throw Problem(.unknownPath, "“\(path)” is not a JSON Pointer: \(advice).").with { $0.pointer = path }
    }
    guard let route = root.resolving(segments, form: .url) else {
      throw Problem.unknownPath(segments, below: root, form: .url, prefix: prefixInMessages).with {
        $0.pointer = path
      }
    }
    return WatchRequest(route: route, path: Pointer.text(segments))
  }

  /// Resolves the `path` parameters of `GET /events`.
  ///
  /// - Parameter limit: The maximum number of paths.
  func watchRequests(_ paths: [String], atMost limit: Int) throws(Problem) -> [WatchRequest] {
    guard !paths.isEmpty else {
      throw Problem(
        .malformedQuery, "Expected at least one “path” parameter, as in /events?path=/ for the whole state.")
    }
    guard paths.count <= limit else {
      throw Problem(
        .malformedQuery,
        "Expected at most \(limit) “path” parameters, got \(paths.count). Use POST /events for more places.")
    }
    var list = WatchList()
    for path in paths { list.add(try watchRequest(path)) }
    return list.requests
  }

  /// Resolves the places in the body of `POST /events`.
  ///
  /// - Parameter limit: The maximum number of places.
  /// - Throws: `malformed-json`, `unknown-path`, or the problem of an entry.
  func watchRequests(_ body: Span<UInt8>, atMost limit: Int) throws(Problem) -> [WatchRequest] {
    var reader = JSONReader()
    let root = try Self.parse(body, &reader)
    guard root.kind == .array, 1...limit ~= root.count else {
      let found = root.kind == .array ? "an array of \(root.count)" : root.excerpt(maximum: 40)
      throw Problem(.invalidValue, "Expected an array of 1 to \(limit) places, got \(found).").with {
        $0.pointer = ""
        $0.expected = #"an array as in [{"path": "/time"}]"#
      }
    }
    var list = WatchList()
    for (index, node) in root.elements.enumerated() {
      let entry: WatchEntry
      do throws(ValidationError) { entry = try WatchEntry(node) } catch { throw Problem(error.under(String(index))) }
      var request = try watchRequest(entry.path)
      request.isShallow = entry.isShallow
      request.known = entry.known
      list.add(request)
    }
    return list.requests
  }
}

/// The paths of one stream, each once.
private struct WatchList {
  private(set) var requests: [WatchRequest] = []
  // Two spellings of a path, such as a UUID in upper and in lower case, are two entries: the parts of a client that use
  // one of them do not know the other.
  private var indices: [[UInt8]: Int] = [:]

  /// Adds a path. If it is named both as shallow and as whole, it is whole. If it is named with different contents,
  /// none is known.
  mutating func add(_ request: WatchRequest) {
    let key = Array(request.path.utf8)
    if let index = indices[key] {
      if requests[index].isShallow, !request.isShallow {
        requests[index].isShallow = false
        requests[index].known = request.known
      } else if requests[index].isShallow == request.isShallow, requests[index].known != request.known {
        requests[index].known = nil
      }
      return
    }
    indices[key] = requests.count
    requests.append(request)
  }
}

/// An entry in the body of `POST /events`.
private struct WatchEntry {
  let path: String
  let isShallow: Bool
  let known: PlaceContent?

  init(_ node: JSONNode) throws(ValidationError) {
    guard node.kind == .object else {
      throw ValidationError(
        .value, "\(node.excerpt(maximum: 40)) is not a place", expected: #"an object as in {"path": "/time"}"#)
    }
    let members = try node.uniqueMembers { name throws(ValidationError) in
      if ["path", "have", "shallow"].contains(name) { return true }
      throw ValidationError(
        .unknownMember, "a place has no member “\(name)”", expected: "“path”, “have” or “shallow”", at: name)
    }
    func value<Value>(
      _ name: String, expected: String, _ read: (JSONNode) -> Value?
    ) throws(ValidationError) -> Value? {
      guard let node = members[name] else { return nil }
      if let value = read(node) { return value }
      throw ValidationError(
        .value, "\(node.excerpt(maximum: 40)) is not a value of “\(name)”", expected: expected, at: name)
    }
    guard let path = try value("path", expected: "a JSON Pointer, such as \"/time\"", \.string) else {
      throw ValidationError(.missingMember, "“path” is missing", at: "path")
    }
    self.path = path
    isShallow = try value("shallow", expected: "true or false", \.bool) ?? false
    known = try value(
      "have", expected: "the “etag” of an event, which is an ETag without quotes, or \"-\" for an absent place"
    ) { $0.string.flatMap(PlaceContent.init(cursor:)) }
  }
}
