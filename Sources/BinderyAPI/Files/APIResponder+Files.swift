import BinderyHTTP

/// Requests for files of the folder that is served beside the state.
extension APIResponder {
  /// Begins the response to a request for a file. ``produceFile(_:_:into:)`` writes it.
  func file(
    _ target: RequestTarget, _ files: FileTransfers, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
    _ body: RequestBody, _ exchange: ExchangeID
  ) throws(Problem) -> Reply {
    outcome.route = documentMetrics.files
    if let response = try optionsResponse(head.method, .readOnly) { return .response(response) }
    if body == .tooLarge { throw .bodyTooLarge }
    try checkCapacity(for: .file)
    // A read goes on after its client has disconnected, so reads are limited separately from the exchanges.
    if files.pendingReads >= maximumPendingResponses { throw .tooManyPendingResponses }
    let request = try FileRequest(target, head, bytes, basePath)
    let transfer = FileTransfer(request, caller.isTrusted ? sentRequest(head, bytes, body) : nil)
    files.begin(transfer, exchange)
    return .later(.file(transfer))
  }

  /// Writes the next part of the response to a request for a file.
  func produceFile(
    _ transfer: FileTransfer, _ exchange: ExchangeID, into output: inout ResponseWriter
  ) -> ProduceResult {
    let result = transfer.isReading ? transfer.result.take() : nil
    switch result {
    case nil:
      // The last slice was sent.
      if !transfer.isReading {
        transfer.isReading = true
        files?.readSlice(transfer, exchange)
      }
      return .idle
    case .response(let response)?: write(response, of: transfer, &output)
    case .slice(let slice)?:
      // Without the missing bytes the client notices that the content is incomplete (RFC 9112 §8).
      guard let slice else { return .close }
      output.content(slice)
    }
    transfer.isReading = false
    return transfer.rest?.range.isEmpty ?? true ? .finished : .more
  }

  /// Writes the head and the first slice of a response, or a complete response without content from a file.
  private func write(_ response: FileResponse, of transfer: FileTransfer, _ output: inout ResponseWriter) {
    switch response {
    case .content(let content):
      output.start(content.status)
      output.append(content.fields)
      if output.startContent(length: content.length) { output.content(content.firstSlice) }
      transfer.rest = content.rest
    case .notModified(let fields):
      output.start(.notModified)
      output.append(fields)
      output.finish()
    case .redirect(let location):
      // Temporary, because the folder can become a file, and browsers cache a 301 or 308 for ever.
      output.start(.temporaryRedirect)
      output.field(.location, location)
      output.field(.cacheControl, "no-cache")
      output.finish()
    case .missing: writeDocument(insteadOf: transfer, &output)
    case .problem(let problem): write(problem, to: &output)
    }
  }

  /// Writes the response that the path has without the folder: to `/`, a redirection to the documentation; else 404.
  private func writeDocument(insteadOf transfer: FileTransfer, _ output: inout ResponseWriter) {
    do throws(Problem) {
      let document = try api.document(transfer.request.target, isTrusted: false, isStopping: false)
      write(try document.response(key: state.key, conditions: transfer.request.conditions), to: &output)
    } catch {
      write(transfer.sent.map { advise(error, on: $0) } ?? error, to: &output)
    }
  }
}
