/// The field names that the server reads or writes by name (RFC 9110 §5.1).
package enum FieldName: UInt8, Sendable, CaseIterable {
  case accept, acceptPatch, acceptPost
  case accessControlAllowCredentials, accessControlAllowHeaders, accessControlAllowMethods
  case accessControlAllowOrigin, accessControlExposeHeaders, accessControlMaxAge, accessControlRequestHeaders
  case accessControlRequestMethod, allow, authorization, cacheControl, connection
  case contentEncoding, contentLength, contentSecurityPolicy, contentType, cookie, crossOriginOpenerPolicy
  case crossOriginResourcePolicy, etag, expect
  case host, ifMatch, ifModifiedSince, ifNoneMatch, lastEventID, lastModified, link, location, origin
  case permissionsPolicy, prefer, preferenceApplied, referrerPolicy, retryAfter
  case secFetchSite, setCookie, stateChanged, stateRevision, traceparent, transferEncoding, vary, writeOutcome
  case wwwAuthenticate, xAccelBuffering, xContentTypeOptions
  /// Any other name: kept as bytes only.
  case other

  /// One bit for each name, for a set of them in one word.
  var bit: UInt64 { 1 << UInt64(rawValue) }

  /// The name as it is written on the wire.
  package var spelling: String {
    switch self {
    case .accept: "Accept"
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
    case .connection: "Connection"
    case .contentEncoding: "Content-Encoding"
    case .contentLength: "Content-Length"
    case .contentSecurityPolicy: "Content-Security-Policy"
    case .contentType: "Content-Type"
    case .cookie: "Cookie"
    case .crossOriginOpenerPolicy: "Cross-Origin-Opener-Policy"
    case .crossOriginResourcePolicy: "Cross-Origin-Resource-Policy"
    case .etag: "ETag"
    case .expect: "Expect"
    case .host: "Host"
    case .ifMatch: "If-Match"
    case .ifModifiedSince: "If-Modified-Since"
    case .ifNoneMatch: "If-None-Match"
    case .lastEventID: "Last-Event-ID"
    case .lastModified: "Last-Modified"
    case .link: "Link"
    case .location: "Location"
    case .origin: "Origin"
    case .permissionsPolicy: "Permissions-Policy"
    case .prefer: "Prefer"
    case .preferenceApplied: "Preference-Applied"
    case .referrerPolicy: "Referrer-Policy"
    case .retryAfter: "Retry-After"
    case .secFetchSite: "Sec-Fetch-Site"
    case .setCookie: "Set-Cookie"
    case .stateChanged: "State-Changed"
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
