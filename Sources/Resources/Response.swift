import Digests
package import HTTP
import Shapes

/// An answer before it is bytes; its content is JSON.
package struct Response: Sendable {
  var status: Status
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

  init(_ status: Status, content: [UInt8]? = nil) {
    self.status = status
    self.content = content
  }

  package func write(to output: inout ResponseWriter) {
    output.start(status)
    if let etag { output.field(.etag, building: { etag.writeTag(into: &$0) }) }
    if let revision { output.field(.stateRevision, revision) }
    if let changed { output.append(changed ? Self.changedField : Self.unchangedField) }
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
    guard let content else { return output.finish() }
    output.append(Self.contentType)
    output.finish(content: content)
  }

  // What most answers say: written once.
  private static let contentType = FieldLines { $0.field(.contentType, "application/json") }
  private static let changedField = FieldLines { $0.field(.stateChanged, "?1") }
  private static let unchangedField = FieldLines { $0.field(.stateChanged, "?0") }
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
