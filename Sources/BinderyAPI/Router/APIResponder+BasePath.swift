import BinderyHTTP

/// Requests at the base path, and outside it.
extension APIResponder {
  /// Redirects from the base path to the root document, against which the relative URLs of a page are resolved.
  func redirectToRoot(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Response {
    var response = Response(.temporaryRedirect)
    response.addField(.location, basePath.text + "/" + (head.query.map { "?" + bytes.text($0) } ?? ""))
    return response
  }

  /// Returns the problem of a request whose path is outside the base path.
  func outsideBasePath(_ path: String) -> Problem {
    let base = basePath.text
    return Problem(
      .unknownPath,
      """
      The path “\(path)” is outside the base path “\(base)” of this server (--base-path). Send \(base)\(path) instead. \
      A proxy in front of the server must pass on the path with the base path.
      """)
  }
}
