extension RequestHead {
  /// Why the reading of a line stopped before its end.
  enum Stop: Error {
    case incomplete
    case refused(Rejection)
  }

  /// Whether nothing has come of the request but empty lines before it.
  func isBlank(byteCount: Int) -> Bool { progress.fieldsStart == 0 && progress.lineStart == byteCount }

  /// Whether no byte of the request has been looked at.
  var isUntouched: Bool { progress.lineStart == 0 && progress.scanned == 0 }

  /// Makes room for the next request.
  package mutating func reset() {
    fieldCount = 0
    names = 0
    number = 0
    method = .unknown
    isHTTP11 = true
    targetForm = .origin
    query = nil
    authority = 0..<0
    keepAlive = true
    expectsContinue = false
    framing = .none
    byteCount = 0
    progress = Progress()
  }

  /// Reads on in the head of a request (RFC 9112 §2 to §6).
  ///
  /// The verdict is the same however the bytes are cut: a line is judged when all of it is there, and no byte of an
  /// unfinished line is looked at more than twice.
  ///
  /// - Parameter bytes: all that has come of the request, from its first byte, and perhaps of the next ones.
  /// - Returns: whether the head is complete; then `byteCount` is its length. Else call again with more bytes.
  /// - Throws: the rejection that the peer gets.
  package mutating func read(_ bytes: borrowing Span<UInt8>, limits: Limits) throws(Rejection) -> Bool {
    while byteCount == 0 {
      let isRequestLine = progress.fieldsStart == 0
      let windowEnd =
        isRequestLine
        ? progress.lineStart + limits.requestLineBytes + 2
        : progress.fieldsStart + limits.headerBlockBytes
      let end = min(bytes.count, windowEnd)

      // A line that came in part before is looked at again only when its end has come.
      if progress.scanned > progress.lineStart, !hasLineEnd(bytes, from: progress.scanned, to: end) {
        if isRequestLine { noteMethod(bytes.extracting(0..<end)) }
        progress.scanned = end
        if end == windowEnd { throw tooLong(bytes, end) }
        return false
      }
      do throws(Stop) {
        let window = bytes.extracting(0..<end)
        progress.lineStart = isRequestLine ? try readRequestLine(window) : try readFieldLine(window, limits: limits)
      } catch {
        if case .refused(let rejection) = error {
          // What does not even begin like a request, such as a handshake of TLS, need not be waited for.
          let isForeign = isRequestLine && !ByteClass.token.contains(bytes[progress.lineStart])
          if isForeign && bytes[progress.lineStart] != .carriageReturn { throw rejection }
          if hasLineEnd(bytes, from: progress.lineStart, to: end) { throw rejection }
        }
        progress.scanned = end
        if end == windowEnd { throw tooLong(bytes, end) }
        return false
      }
    }
    return true
  }

  /// Takes in the method as soon as it is there, as the first look at the line does: the refusal of a HEAD has no
  /// content, wherever its line was cut.
  private mutating func noteMethod(_ bytes: borrowing Span<UInt8>) {
    // Was there more than the longest method and its blank, it has been found.
    guard progress.scanned - progress.lineStart <= 8 else { return }
    do throws(Stop) { _ = try readMethod(bytes, at: progress.lineStart) } catch {}
  }

  /// A line of one endless word is an unknown method, whatever comes behind it (RFC 9112 §3).
  private func tooLong(_ bytes: borrowing Span<UInt8>, _ end: Int) -> Rejection {
    if progress.fieldsStart != 0 { return .fieldsTooLarge }
    return bytes.end(of: .token, from: progress.lineStart) >= end ? .unknownMethod : .lineTooLong
  }

  private func hasLineEnd(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Bool {
    var index = start
    while index < end {
      if bytes[index] == .lineFeed { return true }
      index += 1
    }
    return false
  }
}

extension UInt8 {
  static var lineFeed: UInt8 { 0x0A }
  static var carriageReturn: UInt8 { 0x0D }
  static var space: UInt8 { 0x20 }
  static var tab: UInt8 { 0x09 }
}

extension Span<UInt8> {
  /// The byte at an index, if it has come.
  @inline(__always)
  func byte(at index: Int) throws(RequestHead.Stop) -> UInt8 {
    guard index < count else { throw .incomplete }
    return self[index]
  }

  /// The index behind CR LF, which must stand at this one.
  @inline(__always)
  func skipLineEnd(at index: Int, orRefuse rejection: Rejection) throws(RequestHead.Stop) -> Int {
    guard try byte(at: index) == .carriageReturn else { throw .refused(rejection) }
    guard try byte(at: index + 1) == .lineFeed else { throw .refused(.badLineEnd) }
    return index + 2
  }
}
