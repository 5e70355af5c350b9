import BinderyHTTP

/// An answer of which a slice is written whenever its reader has taken the one before.
struct ChunkedResponse: Sendable {
  private let status: HTTPStatus
  private let fields: FieldLines
  private var content: SlicedJSON
  /// It answers a request for what was there already.
  let isUnchanged: Bool
  private var hasBegun = false

  /// - Parameter fields: all but those that tell of the content.
  init(_ status: HTTPStatus, _ fields: FieldLines, _ content: SlicedJSON, isUnchanged: Bool = false) {
    self.status = status
    self.fields = fields
    self.content = content
    self.isUnchanged = isUnchanged
  }

  /// Writes the head, or nothing, and the next slice.
  mutating func write(to output: inout ResponseWriter) -> ProduceResult {
    if !hasBegun {
      hasBegun = true
      output.startStream(status)
      output.append(fields)
      output.field(.contentType, "application/json")
      output.beginContent()
    }
    // HEAD tells what GET does; a length is not among it (RFC 9110 §9.3.2).
    if !output.context.isHead {
      output.chunk { bytes in content.write(to: &bytes) }
      if content.goesOn { return .more }
      output.endStream()
    }
    // What an older client is sent ends with its connection.
    return output.context.isHTTP11 ? .finished : .close
  }
}

extension APIResponder {
  /// Answers with a response that is long.
  @inline(never)
  func begin(_ response: Response, _ exchange: ExchangeID) -> Disposition {
    guard let long = response.long else { preconditionFailure("the response is not long") }
    return begin(long, exchange)
  }

  /// Answers at length: the exchange takes it through ``produce(_:into:)``.
  func begin(_ answer: ChunkedResponse, _ exchange: ExchangeID) -> Disposition {
    chunkedResponses[exchange] = answer
    context.markReady(exchange)
    return .later
  }

  /// Goes on with a long answer.
  func goOn(_ answer: ChunkedResponse, _ exchange: ExchangeID, _ output: inout ResponseWriter) -> ProduceResult {
    var answer = answer
    outcome.isUnchanged = answer.isUnchanged
    let production = answer.write(to: &output)
    if case .more = production { chunkedResponses[exchange] = answer }
    return production
  }
}
