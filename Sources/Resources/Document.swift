import Digests
import HTTP
import Synchronization

/// A fixed text at a path outside the state.
package final class Document: Sendable {
  private let mediaType: String
  /// What a page may do (CSP3).
  private let policy: String
  /// Must not be kept by caches.
  private let isVolatile: Bool
  private let make: @Sendable () -> [UInt8]
  /// Guards the text, which is made when somebody first asks: a start should not pay for it.
  private let made = Mutex<(bytes: [UInt8], digest: Digest)?>(nil)

  /// - Parameters:
  ///   - policy: what a page may do; nothing but its own style by default.
  ///   - isVolatile: it says what is so just now.
  ///   - make: makes the text, once.
  package init(
    _ mediaType: String, policy: String = "default-src 'none'; style-src 'unsafe-inline'", isVolatile: Bool = false,
    _ make: @escaping @Sendable () -> [UInt8]
  ) {
    self.mediaType = mediaType
    self.policy = policy
    self.isVolatile = isVolatile
    self.make = make
  }

  package convenience init(_ mediaType: String, _ text: String, isVolatile: Bool = false) {
    self.init(mediaType, isVolatile: isVolatile) { Array(text.utf8) }
  }

  /// - Parameter known: what the peer has already.
  /// - Throws: where `If-Match` names another text.
  func write(to output: inout ResponseWriter, key: DigestKey, known: Conditions) throws(Problem) {
    let (bytes, digest) = made.withLock { made in
      if let made { return made }
      let bytes = make()
      let new = (bytes: bytes, digest: key.leaf(bytes.span))
      made = new
      return new
    }
    guard isVolatile || known.matchHolds(digest) else {
      throw Problem(.preconditionFailed, "The text here is another one now.").with { $0.currentETag = digest.tag }
    }
    let isKnown = !isVolatile && !known.noneMatchHolds(digest)
    output.start(isKnown ? .notModified : .ok)
    if !isVolatile { output.field(.etag, building: { digest.writeTag(into: &$0) }) }
    output.field(.cacheControl, isVolatile ? "no-store" : "no-cache")
    guard !isKnown else { return output.finish() }
    output.field(.contentType, mediaType)
    output.field(.xContentTypeOptions, "nosniff")
    output.field(.referrerPolicy, "no-referrer")
    output.field(.contentSecurityPolicy, policy)
    output.finish(content: bytes)
  }
}
