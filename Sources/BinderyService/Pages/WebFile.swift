import BinderyAPI

/// A file that a service serves at a fixed path, also to clients without a token.
///
/// Every file has an ETag, and browsers check with it whether their copy is still current.
///
///     service.files = [WebFile(path: "/", content: PackageResources.index_html)]
///
/// To serve files that are not embedded in the program, see ``ServiceConfiguration/folder``.
public struct WebFile: Sendable {
  /// The path of the URL, such as `/`, `/js/page.js` or `/help/`.
  public let path: String
  /// The value of the header `Content-Type`, such as `text/html; charset=utf-8`.
  public let mediaType: String
  /// The value of the header `Content-Security-Policy` (CSP3).
  public let contentSecurityPolicy: String
  /// The content of the file.
  public let content: [UInt8]

  /// A policy that allows styles, scripts, connections, images, fonts and media of this server only. Inline scripts and
  /// inline styles are not allowed.
  public static let defaultContentSecurityPolicy = """
    default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    font-src 'self'; media-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'
    """

  /// Creates a file.
  ///
  /// - Parameters:
  ///   - path: The path of the URL, with or without percent-encoding.
  ///   - mediaType: The media type. The default is that of the extension of the path.
  ///   - content: The content of the file.
  ///   - contentSecurityPolicy: What a page may load.
  public init(
    path: String, mediaType: String? = nil, content: [UInt8],
    contentSecurityPolicy: String = WebFile.defaultContentSecurityPolicy
  ) {
    self.path = path
    self.mediaType = mediaType ?? Self.mediaType(ofPath: path)
    self.content = content
    self.contentSecurityPolicy = contentSecurityPolicy
  }
}

extension WebFile {
  /// Returns the media type of a file by the extension of its path. The path of a folder is that of its `index.html`.
  static func mediaType(ofPath path: String) -> String {
    guard !path.hasSuffix("/") else { return mediaType(ofPath: "index.html") }
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return "application/octet-stream" }
    return mediaTypes[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
  }

  /// The media types by extension (https://www.iana.org/assignments/media-types).
  private static let mediaTypes = [
    "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8", "json": "application/json",
    "map": "application/json", "webmanifest": "application/manifest+json", "wasm": "application/wasm",
    "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8", "csv": "text/csv; charset=utf-8",
    "xml": "application/xml", "yaml": "application/yaml", "yml": "application/yaml", "pdf": "application/pdf",
    "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
    "webp": "image/webp", "avif": "image/avif", "ico": "image/vnd.microsoft.icon", "woff": "font/woff",
    "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf", "mp3": "audio/mpeg", "ogg": "audio/ogg",
    "wav": "audio/wav", "m4a": "audio/mp4", "mp4": "video/mp4", "webm": "video/webm",
    "mov": "video/quicktime", "vtt": "text/vtt; charset=utf-8", "zip": "application/zip", "gz": "application/gzip",
  ]

  /// Returns the documents of files by path.
  ///
  /// - Throws: ``ServiceError/invalidFile(_:)`` for a path that is malformed, that belongs to the service itself, or
  ///   that two files have.
  static func documents(_ files: [WebFile]) throws(ServiceError) -> [String: StaticDocument] {
    var documents: [String: StaticDocument] = [:]
    for file in files {
      guard file.path.hasPrefix("/"), let target = try? RequestTarget(path: Array(file.path.utf8)[...])
      else { throw .invalidFile("“\(file.path)” is not a path: expected a path such as /, /page.js or /help/") }
      if let first = target.segments.first, ServicePath.firstSegments.contains(first) {
        throw .invalidFile("“\(file.path)” cannot be the path of a file: /\(first) belongs to the service")
      }
      let path = target.documentPath
      guard documents[path] == nil else { throw .invalidFile("two files have the path “\(path)”") }
      documents[path] = StaticDocument(file.mediaType, policy: file.contentSecurityPolicy, isPublic: true) {
        file.content
      }
    }
    return documents
  }
}
