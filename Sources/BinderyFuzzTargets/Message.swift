import BinderyHTTP

/// A request as two parsers can agree on it.
struct Message: Equatable, CustomStringConvertible {
  var method: [UInt8] = []
  /// Path and query as they were written; empty for `*`.
  var target: [UInt8] = []
  var isHTTP11 = true
  var fields: [Field] = []
  var content: [UInt8] = []

  struct Field: Equatable {
    var name: [UInt8]
    var value: [UInt8]
  }

  var description: String {
    let fields = fields.map { "[\($0.name.text): \($0.value.text)]" }.joined()
    return "\(method.text) \(target.text) \(isHTTP11 ? "1.1" : "1.0") \(fields) {\(content.text)}"
  }
}

extension Message {
  /// What an intake has read.
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

/// What an intake makes of the bytes of a connection.
struct MessageLog: Equatable {
  enum End: Equatable {
    /// All was read, perhaps but for a part of a request.
    case open(isWaiting: Bool)
    case refused(Rejection)
    case tooLarge
  }

  private(set) var messages: [Message] = []
  private(set) var end = End.open(isWaiting: false)

  /// - Parameters:
  ///   - parking: the intake gives its bytes away between two pieces, as a connection that rests does.
  ///   - knownHeads: how many heads the intake knows again.
  init(reading pieces: [ArraySlice<UInt8>], _ limits: Limits, parking: Bool = false, knownHeads: Int = 0) {
    var buffer = RequestBuffer(capacity: 16, knownHeads: knownHeads)
    for piece in pieces {
      buffer.append(piece)
      guard read(&buffer, limits) else { return }
      if parking { buffer = buffer.park() }
    }
    end = .open(isWaiting: !buffer.isEmpty)
  }

  /// Reads requests while there are any; false where nothing that follows can be read.
  private mutating func read(_ buffer: inout RequestBuffer, _ limits: Limits) -> Bool {
    while true {
      switch buffer.next(limits: limits) {
      case .needsMore: return true
      case .request(.pending): buffer.startBody()
      case .refused(let rejection):
        end = .refused(rejection)
        return false
      case .request(.tooLarge):
        end = .tooLarge
        return false
      case .request(let body):
        messages.append(Message(buffer, body))
        buffer.consume()
      }
    }
  }
}

extension RequestBuffer {
  /// Puts bytes behind those that are here, as they would come from a socket.
  mutating func append(_ piece: ArraySlice<UInt8>) {
    var rest = piece
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
