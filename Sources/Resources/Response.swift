import Digests
package import HTTP
import Shapes

/// An answer before it is bytes.
package struct Response: Sendable {
  var status: Status
  var contentType = "application/json"
  var content: [UInt8]?
  var etag: Digest?
  var revision: Int?
  /// Whether the request changed the state.
  var changed: Bool?
  var outcome: WriteOutcome = .kept
  var location: String?
  var link: String?
  var allow: String?
  var acceptPatch: String?
  var acceptPost: String?
  var preferenceApplied: String?
  /// Says what is so just now, and must not be kept by caches.
  var isVolatile = false
  /// The form was chosen by `Accept`.
  var isNegotiated = false

  init(_ status: Status, content: [UInt8]? = nil) {
    self.status = status
    self.content = content
  }

  package func write(to output: inout ResponseWriter) {
    output.start(status)
    if let etag { output.field(.etag, building: { etag.writeTag(into: &$0) }) }
    if let revision { output.field(.stateRevision, revision) }
    if let changed { output.field(.stateChanged, changed ? "?1" : "?0") }
    switch outcome {
    case .kept: break
    case .adjusted: output.field(.writeOutcome, "adjusted")
    case .dropped: output.field(.writeOutcome, "dropped")
    }
    if let location { output.field(.location, location) }
    if let link { output.field(.link, link) }
    if let allow { output.field(.allow, allow) }
    if let acceptPatch { output.field(.acceptPatch, acceptPatch) }
    if let acceptPost { output.field(custom: "Accept-Post", acceptPost) }
    if let preferenceApplied { output.field(custom: "Preference-Applied", preferenceApplied) }
    if isVolatile { output.field(.cacheControl, "no-store") }
    if isNegotiated {
      output.field(.vary, "Accept")
      output.field(.cacheControl, "no-cache")
    }
    guard let content else { return output.finish() }
    output.field(.contentType, contentType)
    output.finish(content: content)
  }
}

extension Digest {
  /// As an entity tag (RFC 9110 §8.8.3).
  func writeTag(into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    write(into: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  var tag: String { "\"\(text)\"" }
}
