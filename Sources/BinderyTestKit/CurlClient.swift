import CBinderyCurl

/// A client that uses libcurl, an independent implementation of HTTP.
@safe package final class CurlClient: Client {
  /// An error reported by libcurl.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let origin: String
  private let handle: UnsafeMutableRawPointer

  /// Creates a client.
  ///
  /// - Parameter address: Host and port, as in `Service.addresses`.
  package init(_ address: String) throws(Failure) {
    guard let handle = unsafe curl_easy_init() else { throw Failure(description: "curl_easy_init failed") }
    unsafe self.handle = unsafe handle
    origin = "http://\(address)"
  }

  deinit { unsafe curl_easy_cleanup(handle) }

  package func send(_ request: Request) throws -> Reply {
    unsafe curl_easy_reset(handle)
    var list: UnsafeMutablePointer<curl_slist>? = nil
    defer { unsafe curl_slist_free_all(list) }
    // CURLOPT_HTTPHEADER: `Name:` removes a field that curl would add; `Name;` sends a field with an empty value.
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
      // COPYPOSTFIELDS copies the bytes, so they need not outlive the call. The extra byte is not sent; it only makes
      // the pointer of an empty body non-null, because curl sends no body for a null pointer.
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
    let (head, body) = (Buffer(), Buffer())
    try collect(CURLOPT_HEADERFUNCTION, CURLOPT_HEADERDATA, head)
    try collect(CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, body)
    let code = withExtendedLifetime((head, body)) { unsafe curl_easy_perform(handle) }
    var status = 0
    try check(unsafe bindery_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status))
    // A server may reject a request and close the connection before curl has sent the whole body. The response counts.
    if code != CURLE_OK, status < 400 { try check(code) }
    return Reply(status: status, fields: Self.fields(head.bytes), body: body.bytes)
  }

  /// Returns the fields of the final response. Header sections of interim responses precede it.
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

  /// Makes curl append the bytes of a callback to a buffer.
  private func collect(_ function: CURLoption, _ data: CURLoption, _ buffer: Buffer) throws(Failure) {
    let pointer = unsafe Unmanaged.passUnretained(buffer).toOpaque()
    try check(unsafe bindery_curl_set_pointer(handle, data, pointer))
    try check(
      unsafe bindery_curl_set_write_callback(handle, function) { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let received = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        unsafe Unmanaged<Buffer>.fromOpaque(context).takeUnretainedValue().bytes.append(contentsOf: received)
        return size * count
      })
  }

  private func check(_ code: CURLcode) throws(Failure) {
    guard code != CURLE_OK else { return }
    throw Failure(description: unsafe String(cString: curl_easy_strerror(code)))
  }

  private final class Buffer {
    var bytes: [UInt8] = []
  }
}
