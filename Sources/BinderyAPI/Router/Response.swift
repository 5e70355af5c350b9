import BinderyCore
import BinderyDigest
package import BinderyHTTP

/// A response before it is written as bytes: a value that does not depend on the HTTP version.
package struct Response: Sendable {
  /// The content.
  package enum Content: Sendable {
    case none
    /// JSON without the newline that every response ends in.
    case json([UInt8])
    /// Complete content of another media type.
    case bytes([UInt8], mediaType: String)
    /// Content that is written slice by slice. Indirect, because it is rare and every response is copied.
    indirect case sliced(any SlicedContent, mediaType: String)

    /// The number of bytes in memory; sliced content has at most one slice.
    var byteCount: Int {
      switch self {
      case .none: 0
      case .json(let bytes), .bytes(let bytes, _): bytes.count
      case .sliced: SlicedJSON.sliceBytes
      }
    }
  }

  /// A header field whose name the server does not know otherwise.
  package typealias CustomField = (name: String, value: String)

  package var status: HTTPStatus
  package private(set) var content: Content
  let etag: Digest?
  let revision: Int?
  /// The value of `State-Changed`: whether the request changed the state.
  let changed: Bool?
  let outcome: WriteOutcome
  /// Indicates that the content is the value of a place, which depends on `Accept` and which caches must revalidate.
  let isRepresentation: Bool
  /// Fields that few responses have, in order. One array, because a response is copied more often than these are set.
  private(set) var otherFields: [(name: FieldName, value: String)] = []
  private(set) var customFields: [CustomField] = []
  /// Indicates that caches must not store the response.
  var isVolatile = false
  /// Indicates that the connection closes after the response.
  var closesConnection = false

  /// Creates a response with the properties that most responses have. Setting them later would copy the response.
  init(
    _ status: HTTPStatus, _ content: Content = .none, etag: Digest? = nil, revision: Int? = nil, changed: Bool? = nil,
    outcome: WriteOutcome = .applied, isRepresentation: Bool = false
  ) {
    self.status = status
    self.content = content
    self.etag = etag
    self.revision = revision
    self.changed = changed
    self.outcome = outcome
    self.isRepresentation = isRepresentation
  }

  /// Creates a response of an endpoint that the program has declared. Long content is written slice by slice.
  package init(_ status: HTTPStatus, _ content: Content, custom fields: [CustomField]) {
    if case .bytes(let bytes, let mediaType) = content, bytes.count > Self.maximumWholeBytes {
      self.init(status, .sliced(SlicedText([bytes]), mediaType: mediaType))
    } else {
      self.init(status, content)
    }
    customFields = fields
  }

  /// The size of the longest content of an endpoint that is copied to the connection as a whole.
  private static var maximumWholeBytes: Int { 1024 * 1024 }

  /// Adds a header field, unless the value is nil.
  mutating func addField(_ name: FieldName, _ value: String?) {
    if let value { otherFields.append((name, value)) }
  }

  /// Returns the value of a field that was added.
  func field(_ name: FieldName) -> String? { otherFields.first { $0.name == name }?.value }

  mutating func replaceContent(_ content: Content) { self.content = content }

  /// Removes and returns the content, if it is complete JSON.
  mutating func takeJSON() -> [UInt8]? {
    var taken = Content.none
    swap(&taken, &content)
    guard case .json(let bytes) = consume taken else { return nil }
    return bytes
  }

  /// Whether the content is written slice by slice.
  var isSliced: Bool { if case .sliced = content { true } else { false } }
}
