import BinderyHTTP

/// A parsed request in a form in which the results of two parsers can be compared.
struct ParsedRequest: Equatable, CustomStringConvertible {
  var method: [UInt8] = []
  /// Path and query in their source spelling; empty for `*`.
  var target: [UInt8] = []
  var isHTTP11 = true
  var fields: [Field] = []
  var content: [UInt8] = []

  /// A header field.
  struct Field: Equatable {
    var name: [UInt8]
    var value: [UInt8]
  }

  var description: String {
    let fields = fields.map { "[\($0.name.text): \($0.value.text)]" }.joined()
    return "\(method.text) \(target.text) \(isHTTP11 ? "1.1" : "1.0") \(fields) {\(content.text)}"
  }
}

extension ParsedRequest {
  /// Creates a request from the result of the parser under test.
  init(_ buffer: borrowing RequestBuffer, _ body: RequestBody) {
    let head = buffer.head
    let bytes = Array(buffer.bytes[buffer.range])
    method = Array(bytes[head.methodRange])
    target = Array(bytes[head.path])
    if let query = head.query { target += [UInt8(ascii: "?")] + bytes[query] }
    isHTTP11 = head.isHTTP11
    for index in 0..<head.fieldCount {
      let field = head.field(index)
      fields.append(Field(name: Array(bytes[field.nameRange]), value: Array(bytes[field.value])))
    }
    if case .complete(let range) = body { content = Array(bytes[range]) }
  }
}

/// All requests that the parser under test reads from the bytes of a connection.
struct RequestLog: Equatable {
  /// The reason why parsing ended.
  enum End: Equatable {
    /// All bytes were read. `isWaiting`: they end with an incomplete request.
    case open(isWaiting: Bool)
    case rejected(Rejection)
    case tooLarge
  }

  private(set) var messages: [ParsedRequest] = []
  private(set) var end = End.open(isWaiting: false)

  /// Parses chunks of bytes with the parser under test until the connection ends.
  ///
  /// - Parameters:
  ///   - parking: Parks the buffer between two chunks, as an idle connection does.
  init(reading chunks: [ArraySlice<UInt8>], _ limits: Limits, parking: Bool = false) {
    var buffer = RequestBuffer(capacity: 16)
    for chunk in chunks {
      buffer.append(chunk)
      guard read(&buffer, limits) else { return }
      if parking { buffer = buffer.park() }
    }
    end = .open(isWaiting: !buffer.isEmpty)
  }

  /// Reads all complete requests in the buffer.
  ///
  /// - Returns: False if the connection must be closed, so that nothing that follows can be read.
  private mutating func read(_ buffer: inout RequestBuffer, _ limits: Limits) -> Bool {
    while true {
      switch buffer.next(limits: limits) {
      case .needsMore: return true
      case .request(.pending): buffer.startBody()
      case .rejected(let rejection):
        end = .rejected(rejection)
        return false
      case .request(.tooLarge):
        end = .tooLarge
        return false
      case .request(let body):
        messages.append(ParsedRequest(buffer, body))
        buffer.consume()
      }
    }
  }
}

extension RequestBuffer {
  /// Appends bytes, as received from a socket.
  mutating func append(_ chunk: ArraySlice<UInt8>) {
    var rest = chunk
    while !rest.isEmpty {
      _ = fill { bytes, start in
        let part = rest.prefix(bytes.count - start)
        bytes.replaceSubrange(start..<start + part.count, with: part)
        rest = rest.dropFirst(part.count)
        return part.count
      }
    }
  }
}
