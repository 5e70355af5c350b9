import BinderyDigest
import BinderyHTTP
import Synchronization

/// A document at a fixed path outside the state, rendered on the first request.
package final class StaticDocument: Sendable {
  /// The content of a document, and the content security policy (CSP3) that it needs.
  struct Rendering: Sendable {
    let content: [UInt8]
    let policy: String
  }

  private let mediaType: String
  /// Whether clients without a token may read the document.
  let isPublic: Bool
  /// Indicates that caches must not store the document, and that it has no entity tag.
  private let isVolatile: Bool
  /// Indicates that another content would have another URL, so that caches need not check whether theirs is current.
  private let isImmutable: Bool
  /// The value of `Location`, if the document is a redirection.
  private let location: String?
  private let render: @Sendable () -> Rendering
  /// Guards the rendered document. It is rendered on the first request, so that it does not delay the start.
  private let rendered = Mutex<(rendering: Rendering, digest: Digest)?>(nil)

  /// - Parameters:
  ///   - mediaType: The value of `Content-Type`.
  ///   - policy: The value of `Content-Security-Policy`. The default forbids everything.
  ///   - isPublic: Whether clients without a token may read the document.
  ///   - isVolatile: Whether the document describes the current moment, so that caches must not store it.
  ///   - isImmutable: Whether another content would have another URL.
  ///   - render: Returns the content. Called once.
  package convenience init(
    _ mediaType: String, policy: String = StaticDocument.strictPolicy, isPublic: Bool = false, isVolatile: Bool = false,
    isImmutable: Bool = false, _ render: @escaping @Sendable () -> [UInt8]
  ) {
    self.init(mediaType, isPublic: isPublic, isVolatile: isVolatile, isImmutable: isImmutable) {
      Rendering(content: render(), policy: policy)
    }
  }

  init(
    _ mediaType: String = "text/html; charset=utf-8", isPublic: Bool, isVolatile: Bool = false,
    isImmutable: Bool = false, location: String? = nil, rendering: @escaping @Sendable () -> Rendering
  ) {
    self.mediaType = mediaType
    self.isPublic = isPublic
    self.isVolatile = isVolatile
    self.isImmutable = isImmutable
    self.location = location
    self.render = rendering
  }

  /// Creates a public text about the current moment.
  convenience init(_ text: String) {
    self.init("text/plain; charset=utf-8", isPublic: true, isVolatile: true) { Array(text.utf8) }
  }

  /// Creates a public redirection (302).
  ///
  /// - Parameter location: A URL relative to that of the document.
  package convenience init(redirectingTo location: String) {
    self.init("text/plain; charset=utf-8", isPublic: true, location: location) {
      Rendering(content: Array("See \(location).\n".utf8), policy: Self.strictPolicy)
    }
  }

  /// Whether the document is a redirection.
  var isRedirection: Bool { location != nil }

  /// Whether the document is a web page that needs a token.
  var isProtectedPage: Bool { !isPublic && mediaType.hasPrefix("text/html") }

  /// A policy that forbids loading, scripts, styles, forms and framing.
  package static let strictPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// Returns the response to `GET` or `HEAD`.
  ///
  /// - Parameter conditions: The preconditions of the request. Ignored for a volatile document.
  /// - Throws: `precondition-failed`.
  func response(key: DigestKey, conditions: Conditions) throws(Problem) -> Response {
    if let location {
      var response = response(.found, render(), cacheControl: "no-store")
      response.addField(.location, location)
      return response
    }
    let (rendering, digest) = rendered.withLock { rendered in
      if let rendered { return rendered }
      let rendering = render()
      let new = (rendering: rendering, digest: key.leaf(rendering.content.span))
      rendered = new
      return new
    }
    if isVolatile { return response(.ok, rendering, cacheControl: "no-store") }
    guard conditions.ifMatchHolds(digest) else { throw .documentChanged(digest) }
    guard conditions.ifNoneMatchHolds(digest) else {
      var response = Response(.notModified, etag: digest)
      response.addField(.cacheControl, cacheControl)
      return response
    }
    return response(.ok, rendering, etag: digest, cacheControl: cacheControl)
  }

  /// The value of `Cache-Control` for a document with an entity tag. A year is the longest time that caches expect
  /// (RFC 8246).
  private var cacheControl: String { isImmutable ? "public, max-age=31536000, immutable" : "no-cache" }

  /// Returns the document as the response to a request that failed.
  func response(insteadOf problem: Problem) -> Response {
    var response = response(problem.status, render(), cacheControl: "no-store")
    response.addField(.wwwAuthenticate, problem.challenge)
    return response
  }

  private func response(
    _ status: HTTPStatus, _ rendering: Rendering, etag: Digest? = nil, cacheControl: String
  ) -> Response {
    let content: Response.Content =
      rendering.content.count > SlicedJSON.sliceBytes
      ? .sliced(SlicedText([rendering.content]), mediaType: mediaType)
      : .bytes(rendering.content, mediaType: mediaType)
    var response = Response(status, content, etag: etag)
    response.addField(.cacheControl, cacheControl)
    response.addField(.referrerPolicy, "no-referrer")
    response.addField(.contentSecurityPolicy, rendering.policy)
    if mediaType.hasPrefix("text/html") {
      // These isolate an HTML page from windows of other origins, and deny it access to devices.
      response.addField(.crossOriginOpenerPolicy, "same-origin")
      response.addField(.permissionsPolicy, "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
    }
    return response
  }
}

extension Problem {
  /// The problem of a condition that requires another entity tag of a document or file.
  static func documentChanged(_ digest: Digest) -> Problem {
    Problem(
      .preconditionFailed,
      "The If-Match condition does not hold: the document has another ETag. Retry with “currentETag” as If-Match."
    ).with { $0.currentETag = digest.tag }
  }
}
