/// The header field names that the server reads or writes (RFC 9110 §5.1).
package enum FieldName: UInt8, Sendable, CaseIterable {
  case accept, acceptEncoding, acceptPatch, acceptPost
  case accessControlAllowCredentials, accessControlAllowHeaders, accessControlAllowMethods
  case accessControlAllowOrigin, accessControlExposeHeaders, accessControlMaxAge
  case accessControlRequestHeaders, accessControlRequestMethod, allow, authorization, cacheControl, collectionCount
  case connection
  case contentEncoding, contentLength, contentRange, contentSecurityPolicy, contentType, cookie, crossOriginOpenerPolicy
  case crossOriginResourcePolicy, etag, expect
  case host, idempotencyKey, idempotencyReplayed, ifMatch, ifNoneMatch, ifRange, lastEventID
  case link, location, origin, permissionsPolicy, prefer, preferenceApplied, range, referrerPolicy
  case retryAfter, secFetchSite, setCookie, stateChanged, stateHistory, stateRevision, traceparent, transferEncoding
  case vary, writeOutcome, wwwAuthenticate, xAccelBuffering, xContentTypeOptions
  /// Any other name. Only its bytes are available.
  case other

  /// The bit of this name in a set of names that is stored in one word.
  var bit: UInt64 { 1 << UInt64(rawValue) }

  /// The name as it is sent; names are case-insensitive when received.
  package var spelling: String {
    switch self {
    case .accept: "Accept"
    case .acceptEncoding: "Accept-Encoding"
    case .acceptPatch: "Accept-Patch"
    case .acceptPost: "Accept-Post"
    case .accessControlAllowCredentials: "Access-Control-Allow-Credentials"
    case .accessControlAllowHeaders: "Access-Control-Allow-Headers"
    case .accessControlAllowMethods: "Access-Control-Allow-Methods"
    case .accessControlAllowOrigin: "Access-Control-Allow-Origin"
    case .accessControlExposeHeaders: "Access-Control-Expose-Headers"
    case .accessControlMaxAge: "Access-Control-Max-Age"
    case .accessControlRequestHeaders: "Access-Control-Request-Headers"
    case .accessControlRequestMethod: "Access-Control-Request-Method"
    case .allow: "Allow"
    case .authorization: "Authorization"
    case .cacheControl: "Cache-Control"
    case .collectionCount: "Collection-Count"
    case .connection: "Connection"
    case .contentEncoding: "Content-Encoding"
    case .contentLength: "Content-Length"
    case .contentRange: "Content-Range"
    case .contentSecurityPolicy: "Content-Security-Policy"
    case .contentType: "Content-Type"
    case .cookie: "Cookie"
    case .crossOriginOpenerPolicy: "Cross-Origin-Opener-Policy"
    case .crossOriginResourcePolicy: "Cross-Origin-Resource-Policy"
    case .etag: "ETag"
    case .expect: "Expect"
    case .host: "Host"
    case .idempotencyKey: "Idempotency-Key"
    case .idempotencyReplayed: "Idempotency-Replayed"
    case .ifMatch: "If-Match"
    case .ifNoneMatch: "If-None-Match"
    case .ifRange: "If-Range"
    case .lastEventID: "Last-Event-ID"
    case .link: "Link"
    case .location: "Location"
    case .origin: "Origin"
    case .permissionsPolicy: "Permissions-Policy"
    case .prefer: "Prefer"
    case .preferenceApplied: "Preference-Applied"
    case .range: "Range"
    case .referrerPolicy: "Referrer-Policy"
    case .retryAfter: "Retry-After"
    case .secFetchSite: "Sec-Fetch-Site"
    case .setCookie: "Set-Cookie"
    case .stateChanged: "State-Changed"
    case .stateHistory: "State-History"
    case .stateRevision: "State-Revision"
    case .traceparent: "traceparent"
    case .transferEncoding: "Transfer-Encoding"
    case .vary: "Vary"
    case .writeOutcome: "Write-Outcome"
    case .wwwAuthenticate: "WWW-Authenticate"
    case .xAccelBuffering: "X-Accel-Buffering"
    case .xContentTypeOptions: "X-Content-Type-Options"
    case .other: ""
    }
  }
}

extension FieldName {
  /// Calls a closure with the bytes of a name, followed by the colon and the space of a field line.
  @inline(__always)
  static func withLineStart(of name: FieldName, _ body: (borrowing Span<UInt8>) -> Void) {
    let number = Int(name.rawValue)
    let end = Int(lineStarts.ends[number])
    let start = number == 0 ? 0 : Int(lineStarts.ends[number - 1])
    body(lineStarts.text.span.extracting(start..<end))
  }
}

/// The concatenated `Name: ` of all names. Built once, because each response contains several names.
private let lineStarts: (text: [UInt8], ends: [64 of UInt16]) = {
  var text: [UInt8] = []
  var ends = [64 of UInt16](repeating: 0)
  for name in FieldName.allCases {
    if name != .other { text.append(contentsOf: "\(name.spelling): ".utf8) }
    ends[Int(name.rawValue)] = UInt16(text.count)
  }
  return (text, ends)
}()

extension FieldName {
  /// Returns the name in a range of bytes, ignoring case, or `.other`.
  ///
  /// - Complexity: O(length of the name); O(1) for nearly all other names.
  @inline(__always)
  static func lookup(_ range: Range<Int>, in bytes: borrowing Span<UInt8>) -> FieldName {
    let count = range.count
    guard count <= LookupTable.stride, count > 0 else { return .other }
    var slot = LookupTable.hash(count: count, first: bytes[range.lowerBound], last: bytes[range.upperBound - 1])
    while true {
      let number = Int(lookupTable.slots[slot])
      guard number != LookupTable.free else { return .other }
      if lookupTable.lengths[number] == count {
        // The known names consist of letters and hyphens. Setting bit 0x20 lowercases letters, keeps hyphens, and
        // maps no other token byte to either.
        var rest = bytes.extracting(range.lowerBound...)
        var length = count
        var index = number * LookupTable.stride / 8
        while rest.word(ofFirst: min(length, 8)) | 0x2020_2020_2020_2020 == lookupTable.words[index] {
          if length <= 8 { return FieldName(rawValue: UInt8(truncatingIfNeeded: number))! }
          rest = rest.extracting(droppingFirst: 8)
          length -= 8
          index += 1
        }
      }
      slot = (slot + 1) % LookupTable.slotCount
    }
  }
}

/// A hash table of the known names, keyed by length, first and last byte, with linear probing.
private struct LookupTable: Sendable {
  static let stride = 32
  static let slotCount = 256
  static let free = 255

  var slots = [256 of UInt8](repeating: UInt8(free))
  var lengths = [64 of UInt8](repeating: 0)
  /// The names in lower case, eight bytes in each little-endian word, filled up with spaces.
  var words = [256 of UInt64](repeating: 0x2020_2020_2020_2020)

  init() {
    for name in FieldName.allCases where name != .other {
      let number = Int(name.rawValue)
      let spelling = Array(name.spelling.utf8)
      lengths[number] = UInt8(spelling.count)
      for (index, byte) in spelling.enumerated() {
        words[(number * Self.stride + index) / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
      }
      var slot = Self.hash(count: spelling.count, first: spelling[0], last: spelling[spelling.count - 1])
      while slots[slot] != Self.free { slot = (slot + 1) % Self.slotCount }
      slots[slot] = UInt8(number)
    }
  }

  @inline(__always)
  static func hash(count: Int, first: UInt8, last: UInt8) -> Int {
    (count &* 7 &+ Int(first | 0x20) &* 5 &+ Int(last | 0x20) &* 11) & (slotCount - 1)
  }
}

private let lookupTable = LookupTable()
