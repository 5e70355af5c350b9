import BinderySystem
import CBinderyPostgreSQL

/// A connection to a PostgreSQL server. Not safe for concurrent use: its owner confines it to one thread at a time.
///
/// libpq is used without blocking, so that every call ends at its deadline. A connection whose call has failed without
/// an answer of the server is closed: what the server did is unknown, and a late answer must not be taken for that of
/// another statement. Closing it does not cancel the statement.
///
/// All statements are unnamed, because a connection pool may run each of them on another connection of the server.
///
/// The connection is in pipeline mode (https://www.postgresql.org/docs/current/libpq-pipeline-mode.html): a statement
/// can be sent before the result of the previous one has arrived. Each statement is followed by a synchronization
/// point, so outside of an explicit transaction it is one of its own.
@safe final class PostgreSQLConnection {
  private var handle: OpaquePointer?
  /// The connection string.
  private let parameters: String
  /// The warnings of the server since ``takeWarnings()``.
  private var warnings: [String] = []

  /// The number of statements that were sent, and whose results were not read.
  private(set) var sentCount = 0

  /// The event that libpq waits for while it connects; nil if the connection is established.
  private var connecting: PostgresPollingStatusType?

  /// Begins to connect to a server.
  ///
  /// - Parameter parameters: The connection string (https://www.postgresql.org/docs/current/libpq-connect.html).
  init(_ parameters: String) throws(PostgreSQLError) {
    self.parameters = parameters
    try PasswordFile.check(parameters)
    guard let handle = unsafe PQconnectStart(parameters) else { throw .connection("out of memory") }
    unsafe self.handle = handle
    let observer = unsafe Unmanaged.passUnretained(self).toOpaque()
    _ = unsafe PQsetNoticeReceiver(
      handle,
      { observer, result in
        guard let observer = unsafe observer, let result = unsafe result else { return }
        let connection = unsafe Unmanaged<PostgreSQLConnection>.fromOpaque(observer).takeUnretainedValue()
        if unsafe PostgreSQLConnection.field("V", of: result) == "WARNING" {
          unsafe connection.warnings.append(PostgreSQLConnection.field("M", of: result) ?? "")
        }
      }, observer)
    guard unsafe PQstatus(handle) != CONNECTION_BAD else { throw close(connectingError) }
    connecting = PGRES_POLLING_WRITING
  }

  /// Connects to a server.
  ///
  /// - Parameter deadline: In milliseconds of the monotonic clock.
  convenience init(_ parameters: String, until deadline: Int64) throws(PostgreSQLError) {
    try self.init(parameters)
    guard try connect(until: deadline) else { throw close(.connection("connecting takes too long")) }
  }

  /// Continues to connect.
  ///
  /// - Parameter deadline: In milliseconds of the monotonic clock.
  /// - Returns: Whether the connection is established; false if the deadline has passed, and another call may continue.
  func connect(until deadline: Int64) throws(PostgreSQLError) -> Bool {
    while let state = connecting {
      guard let handle = unsafe handle, state != PGRES_POLLING_FAILED else { throw close(connectingError) }
      if state == PGRES_POLLING_OK {
        guard unsafe PQsetnonblocking(handle, 1) == 0, unsafe PQenterPipelineMode(handle) == 1 else {
          throw close(lastError)
        }
        connecting = nil
      } else {
        let isWriting = state == PGRES_POLLING_WRITING
        guard unsafe poll(handle, forWriting: isWriting, until: deadline) else { return false }
        connecting = unsafe PQconnectPoll(handle)
      }
    }
    return isOpen
  }

  deinit { close() }

  /// Whether the connection can be used.
  var isOpen: Bool { unsafe handle != nil }

  /// Closes the connection. The server ends its transaction, except that it continues a commit.
  func close() {
    if let handle = unsafe handle { unsafe PQfinish(handle) }
    unsafe handle = nil
  }

  private func close(_ error: PostgreSQLError) -> PostgreSQLError {
    close()
    return error
  }

  /// Returns the warnings of the server since the last call.
  func takeWarnings() -> [String] {
    defer { warnings = [] }
    return warnings
  }

  /// Runs a statement. The results of the statements that were sent before and not received are discarded.
  ///
  /// - Parameter deadline: In milliseconds of the monotonic clock.
  /// - Returns: Its rows.
  @discardableResult
  func run(
    _ statement: String, _ values: [PostgreSQLValue] = [], until deadline: Int64
  ) throws(PostgreSQLError) -> PostgreSQLRows {
    try discardResults(until: deadline)
    try send(statement, values, until: deadline)
    return try receive(until: deadline)
  }

  /// Runs a statement, and gives it up after some milliseconds.
  @discardableResult
  func run(
    _ statement: String, _ values: [PostgreSQLValue] = [], within milliseconds: Int64
  ) throws(PostgreSQLError) -> PostgreSQLRows {
    try run(statement, values, until: Clock.monotonicMilliseconds + milliseconds)
  }

  /// Discards the results of the statements that were sent and not received.
  ///
  /// - Parameter deadline: In milliseconds of the monotonic clock.
  func discardResults(until deadline: Int64) throws(PostgreSQLError) {
    while sentCount > 0 {
      do throws(PostgreSQLError) { _ = try receive(until: deadline) } catch { if !isOpen { throw error } }
    }
  }

  /// Sends a statement. The server runs it after those that were sent before.
  ///
  /// - Parameter deadline: In milliseconds of the monotonic clock.
  func send(_ statement: String, _ values: [PostgreSQLValue], until deadline: Int64) throws(PostgreSQLError) {
    guard let handle = unsafe handle else { throw .connection("the connection is closed") }
    guard values.allSatisfy({ $0.byteCount <= Int(Int32.max) }) else {
      throw close(.connection("a value has more than 2 GiB"))
    }
    guard put(statement, values), unsafe PQpipelineSync(handle) == 1 else { throw close(lastError) }
    sentCount += 1
    while true {
      let remaining = unsafe PQflush(handle)
      guard remaining >= 0 else { throw close(lastError) }
      if remaining == 0 { return }
      try wait(forWriting: true, until: deadline, "the statement cannot be sent")
      guard unsafe PQconsumeInput(handle) != 0 else { throw close(lastError) }
    }
  }

  /// Waits for the result of the oldest statement that was sent.
  ///
  /// - Parameter deadline: In milliseconds of the monotonic clock. A long result may arrive up to a minute later, if a
  ///   part of it arrives in each second.
  /// - Returns: Its rows.
  func receive(until deadline: Int64) throws(PostgreSQLError) -> PostgreSQLRows {
    let limit = deadline + 60_000
    var deadline = deadline
    guard let handle = unsafe handle else { throw .connection("the connection is closed") }
    var rows: PostgreSQLRows?
    var failure: PostgreSQLError?
    var hasEnded = false
    while true {
      while unsafe PQisBusy(handle) != 0 {
        try wait(forWriting: false, until: deadline, "there is no answer")
        guard unsafe PQconsumeInput(handle) != 0 else { throw close(failure ?? lastError) }
        deadline = max(deadline, min(limit, Clock.monotonicMilliseconds + 1_000))
      }
      guard let result = unsafe PQgetResult(handle) else {
        // The results of a statement end with nil, and its synchronization point follows.
        guard !hasEnded, unsafe PQstatus(handle) == CONNECTION_OK else { throw close(failure ?? lastError) }
        hasEnded = true
        continue
      }
      hasEnded = false
      let received = unsafe PostgreSQLRows(result)
      if unsafe PQresultStatus(result) == PGRES_PIPELINE_SYNC { break }
      // The server commits after it has sent the result, so an error of the commit follows it.
      failure = unsafe failure ?? error(of: result)
      rows = rows ?? received
    }
    sentCount -= 1
    if let failure {
      throw unsafe failure.state == nil || PQstatus(handle) != CONNECTION_OK ? close(failure) : failure
    }
    guard let rows else { throw close(.connection("the server has sent no result")) }
    return rows
  }

  /// Returns the error of a result; nil if it is a success.
  private func error(of result: OpaquePointer) -> PostgreSQLError? {
    switch unsafe PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return nil
    default:
      let message = unsafe Self.field("M", of: result) ?? lastError.description
      return unsafe PostgreSQLError(state: Self.field("C", of: result), description: message)
    }
  }

  /// Puts a statement into the send buffer of libpq.
  private func put(_ statement: String, _ values: [PostgreSQLValue]) -> Bool {
    let encoded = values.map(\.encoded)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.reduce(1) { $0 + ($1?.count ?? 0) })
    for case let value? in encoded { bytes += value }
    bytes.append(0)
    let types = values.map(\.type)
    let lengths = encoded.map { Int32($0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: values.count)
    return unsafe bytes.withUnsafeBytes { bytes in
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      var offset = 0
      for value in encoded {
        let start = unsafe bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
        unsafe pointers.append(value == nil ? nil : start)
        offset += value?.count ?? 0
      }
      return unsafe PQsendQueryParams(handle, statement, Int32(values.count), types, pointers, lengths, formats, 1) == 1
    }
  }

  /// Whether the next result has arrived. It may arrive together with the one before.
  var hasResult: Bool { unsafe sentCount > 0 && PQisBusy(handle) == 0 }

  /// Waits until the socket is ready.
  private func wait(forWriting: Bool, until deadline: Int64, _ reason: String) throws(PostgreSQLError) {
    guard let handle = unsafe handle, unsafe poll(handle, forWriting: forWriting, until: deadline) else {
      throw close(.connection(reason))
    }
  }

  /// Waits until the socket is ready.
  ///
  /// - Returns: False if it is not ready and the deadline has passed. A socket that is ready only then counts, because
  ///   the thread may have run late.
  private func poll(_ handle: OpaquePointer, forWriting: Bool, until deadline: Int64) -> Bool {
    let remaining = max(0, deadline - Clock.monotonicMilliseconds)
    // A signal ends the call early, and the caller looks again.
    return unsafe bindery_poll(PQsocket(handle), forWriting ? 1 : 0, Int32(clamping: remaining)) != 0
  }

  /// The descriptor of the connection, which is readable when the server has sent something.
  var descriptor: Int32? { unsafe handle.map { unsafe PQsocket($0) } }

  /// Returns the notifications that have arrived since the last call (NOTIFY).
  func takeNotifications() throws(PostgreSQLError) -> [PostgreSQLNotification] {
    guard let handle = unsafe handle, unsafe PQconsumeInput(handle) != 0 else { throw close(lastError) }
    var notifications: [PostgreSQLNotification] = []
    while let notification = unsafe PQnotifies(handle) {
      let (sender, payload) = unsafe (notification.pointee.be_pid, String(cString: notification.pointee.extra))
      notifications.append(PostgreSQLNotification(sender: Int(sender), payload: payload))
      unsafe PQfreemem(notification)
    }
    return notifications
  }

  /// The error of the connection.
  private var lastError: PostgreSQLError {
    guard let handle = unsafe handle else { return .connection("the connection is closed") }
    let text = unsafe String(cString: PQerrorMessage(handle))
    // The following lines are advice for users of psql.
    return .connection(text.split(separator: "\n").first.map(String.init) ?? "the connection was lost")
  }

  /// The last error of libpq while it connects, with what to do about it.
  private var connectingError: PostgreSQLError {
    let error = lastError
    if unsafe PQconnectionNeedsPassword(handle) == 1 {
      return .connection("\(error): \(PasswordFile.absence(parameters))")
    }
    // The default is a file in the home directory, which few servers have.
    if error.description.contains("root certificate file") {
      return .connection("\(error): name the file of the certificate authority with ?sslrootcert=/path")
    }
    return error
  }

  /// Returns a field of a result (PQresultErrorField).
  private static func field(_ code: Character, of result: OpaquePointer) -> String? {
    guard let code = code.asciiValue, let text = unsafe PQresultErrorField(result, Int32(code)) else { return nil }
    return unsafe String(cString: text)
  }
}

/// A message of another connection to the same database.
struct PostgreSQLNotification {
  /// The process id of the server's side of that connection.
  let sender: Int
  let payload: String
}
