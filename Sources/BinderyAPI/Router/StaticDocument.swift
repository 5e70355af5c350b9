import BinderyDigest
import BinderyHTTP
import Synchronization

/// A document at a fixed path outside the state, rendered on the first request.
package final class StaticDocument: Sendable {
  private let mediaType: String
  /// The value of `Content-Security-Policy` (CSP3).
  private let policy: String
  /// Indicates whether clients without a token may read the document.
  let isPublic: Bool
  /// Indicates that caches must not store the document, and that it has no entity tag.
  private let isVolatile: Bool
  private let render: @Sendable () -> [UInt8]
  /// Guards the rendered document. It is rendered on the first request, so that it does not delay the start.
  private let rendered = Mutex<(bytes: [UInt8], digest: Digest)?>(nil)

  /// - Parameters:
  ///   - mediaType: The value of `Content-Type`.
  ///   - policy: The value of `Content-Security-Policy`. The default forbids everything.
  ///   - isPublic: Whether clients without a token may read the document.
  ///   - isVolatile: Whether the document describes the current moment, so that caches must not store it.
  ///   - render: Returns the content. Called once.
  package init(
    _ mediaType: String, policy: String = StaticDocument.strictPolicy, isPublic: Bool = false, isVolatile: Bool = false,
    _ render: @escaping @Sendable () -> [UInt8]
  ) {
    self.mediaType = mediaType
    self.policy = policy
    self.isPublic = isPublic
    self.isVolatile = isVolatile
    self.render = render
  }

  /// Creates a public document.
  convenience init(_ mediaType: String, _ text: String, policy: String = strictPolicy, isVolatile: Bool = false) {
    self.init(mediaType, policy: policy, isPublic: true, isVolatile: isVolatile) { Array(text.utf8) }
  }

  /// A policy that forbids loading, scripts, styles, forms and framing.
  package static let strictPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// Fields that isolate an HTML page from windows of other origins, and deny it access to devices.
  private static let pageFields = FieldLines { fields in
    fields.field(.crossOriginOpenerPolicy, "same-origin")
    fields.field(.permissionsPolicy, "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
  }

  /// Writes the response to `GET` or `HEAD`.
  ///
  /// - Parameter conditions: The preconditions of the request. Ignored for a volatile document.
  /// - Returns: The response, if it is long and must be written in slices.
  /// - Throws: `precondition-failed`.
  func write(
    to output: inout ResponseWriter, key: DigestKey, conditions: Conditions
  ) throws(Problem) -> ChunkedResponse? {
    let (bytes, digest) = rendered.withLock { rendered in
      if let rendered { return rendered }
      let bytes = render()
      let new = (bytes: bytes, digest: key.leaf(bytes.span))
      rendered = new
      return new
    }
    guard isVolatile || conditions.ifMatchHolds(digest) else {
      throw Problem(
        .preconditionFailed,
        "The If-Match condition does not hold: the document has another ETag. Retry with “currentETag” as If-Match."
      ).with { $0.currentETag = digest.tag }
    }
    let isNotModified = !isVolatile && !conditions.ifNoneMatchHolds(digest)
    let fields = FieldLines { output in
      if !isVolatile { output.field(.etag, digest) }
      output.field(.cacheControl, isVolatile ? "no-store" : "no-cache")
      guard !isNotModified else { return }
      output.field(.referrerPolicy, "no-referrer")
      output.field(.contentSecurityPolicy, policy)
      if mediaType.hasPrefix("text/html") { output.append(Self.pageFields) }
    }
    guard isNotModified || bytes.count <= SlicedJSON.sliceBytes else {
      return ChunkedResponse(.ok, fields, SlicedText(bytes), mediaType: mediaType)
    }
    output.start(isNotModified ? .notModified : .ok)
    output.append(fields)
    if isNotModified {
      output.finish()
    } else {
      output.field(.contentType, mediaType)
      output.finish(content: bytes)
    }
    return nil
  }
}
