import CBinderyCurl

/// libcurl: a client that is not ours, with its own idea of HTTP.
@safe package final class CurlClient: Client {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let origin: String
  private let handle: UnsafeMutableRawPointer

  /// - Parameter address: as the service tells it.
  package init(_ address: String) throws(Failure) {
    guard let handle = unsafe curl_easy_init() else { throw Failure(description: "no curl") }
    unsafe self.handle = unsafe handle
    origin = "http://\(address)"
  }

  deinit { unsafe curl_easy_cleanup(handle) }

  package func send(_ request: Request) throws -> Reply {
    unsafe curl_easy_reset(handle)
    var list: UnsafeMutablePointer<curl_slist>? = nil
    defer { unsafe curl_slist_free_all(list) }
    // A name with a colon alone takes away what curl would send, one with a semicolon sends an empty value.
    let hasType = request.fields.contains { $0.name.lowercased() == "content-type" }
    if !hasType { unsafe list = curl_slist_append(list, "Content-Type:") }
    if !request.fields.contains(where: { $0.name.lowercased() == "accept" }) {
      unsafe list = curl_slist_append(list, "Accept:")
    }
    for (name, value) in request.fields {
      unsafe list = curl_slist_append(list, value.isEmpty ? "\(name);" : "\(name): \(value)")
    }
    try set(CURLOPT_URL, origin + request.target)
    try set(CURLOPT_PATH_AS_IS, 1)
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_TIMEOUT, 60)
    try check(unsafe bindery_curl_set_list(handle, CURLOPT_HTTPHEADER, list))
    if let body = request.body {
      try set(CURLOPT_POSTFIELDSIZE, body.count)
      // Copied at once, so that the bytes need not outlive the call. One more, so that an empty body is one too.
      var bytes = body + [0]
      try check(
        unsafe bytes.withUnsafeMutableBytes {
          unsafe bindery_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
        })
    }
    if request.method == "HEAD" { try set(CURLOPT_NOBODY, 1) } else { try set(CURLOPT_CUSTOMREQUEST, request.method) }
    return try perform()
  }

  private func perform() throws(Failure) -> Reply {
    let (head, body) = (Sink(), Sink())
    try collect(CURLOPT_HEADERFUNCTION, CURLOPT_HEADERDATA, head)
    try collect(CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, body)
    let code = withExtendedLifetime((head, body)) { unsafe curl_easy_perform(handle) }
    var status = 0
    try check(unsafe bindery_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status))
    // A server that refuses a body early may close while it is still being sent; the answer counts.
    if code != CURLE_OK, status < 400 { try check(code) }
    return Reply(status: status, fields: Self.fields(head.bytes), body: body.bytes)
  }

  /// The fields of the last of the heads that came: interim ones go before it.
  private static func fields(_ bytes: [UInt8]) -> [(name: String, value: String)] {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: true)
    let start = lines.lastIndex { $0.hasPrefix("HTTP/") } ?? 0
    return lines[start...].dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
    }
  }

  private func set(_ option: CURLoption, _ value: Int) throws(Failure) {
    try check(unsafe bindery_curl_set_long(handle, option, value))
  }

  private func set(_ option: CURLoption, _ value: String) throws(Failure) {
    try check(unsafe bindery_curl_set_text(handle, option, value))
  }

  private func collect(_ function: CURLoption, _ data: CURLoption, _ sink: Sink) throws(Failure) {
    let pointer = unsafe Unmanaged.passUnretained(sink).toOpaque()
    try check(unsafe bindery_curl_set_pointer(handle, data, pointer))
    try check(
      unsafe bindery_curl_set_sink(handle, function) { bytes, size, count, sink in
        guard let bytes = unsafe bytes, let sink = unsafe sink else { return 0 }
        let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        unsafe Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue().bytes.append(contentsOf: buffer)
        return size * count
      })
  }

  private func check(_ code: CURLcode) throws(Failure) {
    guard code != CURLE_OK else { return }
    throw Failure(description: unsafe String(cString: curl_easy_strerror(code)))
  }

  private final class Sink {
    var bytes: [UInt8] = []
  }
}
