import BinderyDigest
import BinderyHTTP

/// The requests of one event loop for files, and the files that are being sent. Confined to that loop; other threads
/// read the files.
///
/// The next slice of a file is read when the previous one has been sent, so a client that does not read holds one
/// slice.
final class FileTransfers {
  private let source: any FileSource
  private let key: DigestKey
  private let budget: Budget
  private let loop: LoopHandle
  /// The results of the threads that read files.
  private let mailbox = ExchangeMailbox<FileTransfer.Result>()
  private let exchanges: ExchangeTable
  /// The number of reads that have not ended, also those whose client has disconnected.
  private(set) var pendingReads = 0

  init(
    _ source: any FileSource, _ key: DigestKey, _ budget: Budget, _ loop: LoopHandle, _ exchanges: ExchangeTable
  ) {
    self.source = source
    self.key = key
    self.budget = budget
    self.loop = loop
    self.exchanges = exchanges
  }

  /// Begins to open a file. ``takeResults()`` returns the exchange when its response can be written.
  func begin(_ transfer: FileTransfer, _ exchange: ExchangeID) {
    read(exchange) { [source, key, budget, request = transfer.request] in
      .response(request.respond(from: source, key, budget))
    }
  }

  /// Begins to read the next slice of a file.
  func readSlice(_ transfer: FileTransfer, _ exchange: ExchangeID) {
    guard var rest = transfer.rest else { preconditionFailure("the file was sent completely") }
    let slice = rest.takeSlice()
    transfer.rest = rest
    read(exchange) { [file = rest.file] in .slice(file.read(slice)) }
  }

  private func read(_ exchange: ExchangeID, _ work: @escaping @Sendable () -> FileTransfer.Result) {
    pendingReads += 1
    source.perform { [mailbox, loop] in
      mailbox.put(exchange, work())
      loop.wake()
    }
  }

  /// Passes the results of the reading threads to their transfers.
  ///
  /// - Returns: The exchanges that can write.
  func takeResults() -> [ExchangeID] {
    mailbox.takeAll().compactMap { exchange, result in
      pendingReads -= 1
      guard let transfer = exchanges.file(exchange) else { return nil }
      transfer.result = result
      return exchange
    }
  }
}

/// A request for a file whose response has not ended.
final class FileTransfer {
  /// The result of a read on another thread.
  enum Result: Sendable {
    case response(FileResponse)
    /// The next slice; nil if the file has changed, or cannot be read.
    case slice([UInt8]?)
  }

  let request: FileRequest
  /// The request as it was sent, for hints; nil if the client gets none.
  let sent: SentRequest?
  /// The last result, until it is written to the connection.
  var result: Result?
  /// The part of the file that is not read yet.
  var rest: FileContent.Rest?
  /// Whether a thread reads.
  var isReading = true

  init(_ request: FileRequest, _ sent: SentRequest?) {
    self.request = request
    self.sent = sent
  }
}
