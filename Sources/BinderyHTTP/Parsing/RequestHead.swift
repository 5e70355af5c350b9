/// The request line and header fields of one request.
///
/// Names and values are ranges into the bytes that the head was parsed from, relative to the first byte of the request;
/// the bytes must be available to use them. One value is reused for many requests and keeps the storage for its fields.
package struct RequestHead: Sendable {
  /// The form of the request target (RFC 9112 §3.2).
  package enum TargetForm: UInt8, Sendable {
    /// A path with an optional query: the usual form.
    case origin
    /// A complete URI. `path`, `query` and `authority` are its parts; the authority overrides the Host field.
    case absolute
    /// `*`, or a URI without a path, which means the same for OPTIONS. The path is empty.
    case asterisk
  }

  /// The framing of the body (RFC 9112 §6.3).
  package enum Framing: Sendable, Equatable {
    case none
    case length(Int)
    case chunked
  }

  /// One field line: its name, if known, and the ranges of name and value. The value has no surrounding whitespace.
  package struct Field: Sendable {
    package let name: FieldName
    package let nameRange: Range<Int>
    package let value: Range<Int>
  }

  package internal(set) var method = Method.unknown
  package internal(set) var targetForm = TargetForm.origin
  /// The bytes of the method, needed for an unknown one.
  package internal(set) var methodRange = 0..<0
  /// The path as received, percent-encoded, with its leading slash. In the absolute form it may be empty, meaning `/`.
  package internal(set) var path = 0..<0
  /// The query without its question mark; nil if there is no question mark.
  package internal(set) var query: Range<Int>?
  /// The host and optional port, from the absolute form or the Host field; empty if there is neither (HTTP/1.0).
  package internal(set) var authority = 0..<0
  /// Whether the version is HTTP/1.1 or a higher minor version, not HTTP/1.0.
  package internal(set) var isHTTP11 = true
  /// Whether the client allows the connection to persist after this request (RFC 9112 §9.3).
  package internal(set) var keepAlive = true
  /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
  package internal(set) var expectsContinue = false
  package internal(set) var framing = Framing.none
  /// The number of field lines; see `field(_:)`.
  package internal(set) var fieldCount = 0
  /// The storage for fields. Elements from `fieldCount` on belong to earlier requests.
  private var fields: [Field] = []
  /// The known names that are present, one bit each. Most lookups are for absent fields and end here.
  var names: UInt64 = 0
  /// The length of the head including its final empty line, which is the offset of the body; 0 until it is complete.
  package internal(set) var byteCount = 0

  /// The state of the parser between two calls.
  var progress = Progress()

  /// Creates an empty head with capacity for the fields of a typical request.
  package init() {
    fields.reserveCapacity(16)
  }

  /// Returns the field line at an index.
  package func field(_ index: Int) -> Field {
    precondition(index < fieldCount)
    return fields[index]
  }

  /// Appends a field line.
  @inline(__always)
  mutating func append(_ field: Field) {
    if fieldCount < fields.count { fields[fieldCount] = field } else { fields.append(field) }
    fieldCount += 1
    names |= field.name.bit
  }

  /// Returns the value of the first field with a name.
  ///
  /// - Complexity: O(number of fields).
  package func first(_ name: FieldName) -> Range<Int>? {
    guard contains(name) else { return nil }
    for index in 0..<fieldCount where fields[index].name == name { return fields[index].value }
    return nil
  }

  /// Returns the value of the only field with a name, or nil if there is none or more than one.
  ///
  /// - Complexity: O(number of fields).
  package func only(_ name: FieldName) -> Range<Int>? {
    guard contains(name) else { return nil }
    var value: Range<Int>?
    for index in 0..<fieldCount where fields[index].name == name {
      if value != nil { return nil }
      value = fields[index].value
    }
    return value
  }

  /// Calls a closure with the value of each field line with a name, in order. Together they form one list (RFC 9110
  /// §5.3).
  ///
  /// - Complexity: O(number of fields).
  package func forEach<E>(_ name: FieldName, _ body: (Range<Int>) throws(E) -> Void) throws(E) {
    guard contains(name) else { return }
    for index in 0..<fieldCount where fields[index].name == name { try body(fields[index].value) }
  }

  /// Returns whether there is a field with a name.
  package func contains(_ name: FieldName) -> Bool { names & name.bit != 0 }
}

extension RequestHead {
  /// The state of parsing an incomplete head.
  struct Progress: Sendable {
    /// The start of the first line that is not parsed yet.
    var lineStart = 0
    /// The end of the bytes that were searched for the line end of that line.
    var scanned = 0
    /// The start of the first field line; 0 until the request line is parsed.
    var fieldsStart = 0
    var hasHost = false
    /// Whether a `Connection` field contained `close`. A later field cannot revoke it.
    var hasClose = false
    var hasUnknownExpectation = false
    /// Whether a transfer coding other than `chunked` was listed, which is allowed only before `chunked`.
    var hasUnknownCoding = false
    /// The fields received that may be sent only once: one bit for each name.
    var singles: UInt64 = 0
  }

  /// Returns whether the first `byteCount` bytes are only empty lines before a request.
  func isBlank(byteCount: Int) -> Bool { progress.fieldsStart == 0 && progress.lineStart == byteCount }

  /// Prepares for the next request. The storage for fields is kept.
  package mutating func reset() {
    fieldCount = 0
    names = 0
    method = .unknown
    isHTTP11 = true
    targetForm = .origin
    query = nil
    authority = 0..<0
    keepAlive = true
    expectsContinue = false
    framing = .none
    byteCount = 0
    progress = Progress()
  }
}

extension RequestHead {
  /// The length of the body, if the next request can be found without reading this body.
  ///
  /// nil if there is no body, if it is chunked, or if the client may leave it out because it expects `100 Continue`
  /// (RFC 9110 §10.1.1).
  package var skippableBodyLength: Int? {
    if case .length(let length) = framing, !expectsContinue { length } else { nil }
  }
}
