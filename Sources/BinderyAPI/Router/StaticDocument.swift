import BinderyDigest
import BinderyHTTP
import Synchronization

/// A fixed text at a path outside the state.
package final class StaticDocument: Sendable {
  private let mediaType: String
  /// What a page may do (CSP3).
  private let policy: String
  /// Everybody may read it, also who has no token.
  let isForAll: Bool
  /// Must not be kept by caches.
  private let isVolatile: Bool
  private let make: @Sendable () -> [UInt8]
  /// Guards the text, which is made when somebody first asks: a start should not pay for it.
  private let made = Mutex<(bytes: [UInt8], digest: Digest)?>(nil)

  /// - Parameters:
  ///   - policy: what a page may do; nothing by default.
  ///   - isForAll: everybody may read it, also who has no token.
  ///   - isVolatile: it says what is so just now.
  ///   - make: makes the text, once.
  package init(
    _ mediaType: String, policy: String = StaticDocument.strictPolicy, isForAll: Bool = false, isVolatile: Bool = false,
    _ make: @escaping @Sendable () -> [UInt8]
  ) {
    self.mediaType = mediaType
    self.policy = policy
    self.isForAll = isForAll
    self.isVolatile = isVolatile
    self.make = make
  }

  /// A text that everybody may read.
  convenience init(_ mediaType: String, _ text: String, policy: String = strictPolicy, isVolatile: Bool = false) {
    self.init(mediaType, policy: policy, isForAll: true, isVolatile: isVolatile) { Array(text.utf8) }
  }

  /// Nothing is loaded, run, styled or framed.
  package static let strictPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// A page shares no window with other sites' pages, and needs none of a machine's devices.
  private static let pageFields = FieldLines { fields in
    fields.field(.crossOriginOpenerPolicy, "same-origin")
    fields.field(.permissionsPolicy, "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
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
    if !isVolatile { output.field(.etag, digest) }
    output.field(.cacheControl, isVolatile ? "no-store" : "no-cache")
    guard !isKnown else { return output.finish() }
    output.field(.contentType, mediaType)
    output.field(.referrerPolicy, "no-referrer")
    output.field(.contentSecurityPolicy, policy)
    if mediaType.hasPrefix("text/html") { output.append(Self.pageFields) }
    output.finish(content: bytes)
  }
}
