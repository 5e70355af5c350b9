import BinderySystem
import CBinderyPostgreSQL

/// A connection to a PostgreSQL server. Not safe for concurrent use: its owner confines it to one thread at a time.
///
/// libpq is used without blocking, so that every call ends at its deadline. A connection whose call has failed without
/// an answer of the server is closed: what the server did is unknown, and a late answer must not be taken for that of
/// another statement. Closing it does not cancel the statement.
///
/// All statements are unnamed, because a connection pool may run each of them on another connection of the server.
@safe final class PostgreSQLConnection {
  private var handle: OpaquePointer?
  /// The warnings of the server since ``takeWarnings()``.
  private var warnings: [String] = []

  /// Connects to a server.
  ///
  /// - Parameters:
  ///   - parameters: The connection string (https://www.postgresql.org/docs/current/libpq-connect.html).
  ///   - deadline: In milliseconds of the monotonic clock.
  init(_ parameters: String, until deadline: Int64) throws(PostgreSQLError) {
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
    var state = unsafe PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
    while state != PGRES_POLLING_OK {
      guard state != PGRES_POLLING_FAILED else { throw close(lastError) }
      try wait(forWriting: state == PGRES_POLLING_WRITING, until: deadline, "connecting takes too long")
      state = unsafe PQconnectPoll(handle)
    }
    _ = unsafe PQsetnonblocking(handle, 1)
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

  /// Runs a statement.
  ///
  /// - Parameter deadline: In milliseconds of the monotonic clock.
  /// - Returns: Its rows.
  @discardableResult
  func run(
    _ statement: String, _ values: [PostgreSQLValue] = [], until deadline: Int64
  ) throws(PostgreSQLError) -> PostgreSQLRows {
    guard let handle = unsafe handle else { throw .connection("the connection is closed") }
    guard send(statement, values) else { throw close(lastError) }
    while true {
      let remaining = unsafe PQflush(handle)
      guard remaining >= 0 else { throw close(lastError) }
      if remaining == 0, unsafe PQisBusy(handle) == 0 { break }
      try wait(forWriting: remaining > 0, until: deadline, "there is no answer")
      guard unsafe PQconsumeInput(handle) != 0 else { throw close(lastError) }
    }
    guard let first = unsafe PQgetResult(handle) else { throw close(lastError) }
    let rows = unsafe PostgreSQLRows(first)
    // The last result is followed by the message that the server is ready, and that its transaction has ended.
    while true {
      while unsafe PQisBusy(handle) != 0 {
        try wait(forWriting: false, until: deadline, "there is no answer")
        guard unsafe PQconsumeInput(handle) != 0 else { throw close(lastError) }
      }
      guard let next = unsafe PQgetResult(handle) else { break }
      unsafe PQclear(next)
    }
    switch unsafe PQresultStatus(first) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return rows
    default:
      let state = unsafe Self.field("C", of: first)
      let message = unsafe Self.field("M", of: first) ?? lastError.description
      let error = PostgreSQLError(state: state, description: message)
      throw unsafe state == nil || PQstatus(handle) != CONNECTION_OK ? close(error) : error
    }
  }

  /// Sends a statement to the send buffer of libpq.
  private func send(_ statement: String, _ values: [PostgreSQLValue]) -> Bool {
    let encoded = values.map(\.encoded)
    let bytes = Array(encoded.compactMap(\.self).joined()) + [0]
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

  /// Waits until the socket is ready.
  private func wait(forWriting: Bool, until deadline: Int64, _ reason: String) throws(PostgreSQLError) {
    let remaining = deadline - Clock.monotonicMilliseconds
    // A signal ends the call early, and the caller looks again.
    guard remaining > 0, let handle = unsafe handle,
      unsafe bindery_poll(PQsocket(handle), forWriting ? 1 : 0, Int32(clamping: remaining)) != 0
    else { throw close(.connection(reason)) }
  }

  /// The error of the connection.
  private var lastError: PostgreSQLError {
    guard let handle = unsafe handle else { return .connection("the connection is closed") }
    let text = unsafe String(cString: PQerrorMessage(handle))
    let line = text.split(separator: "\n").joined(separator: " ")
    return .connection(line.isEmpty ? "the connection was lost" : line)
  }

  /// Returns a field of a result (PQresultErrorField).
  private static func field(_ code: Character, of result: OpaquePointer) -> String? {
    guard let code = code.asciiValue, let text = unsafe PQresultErrorField(result, Int32(code)) else { return nil }
    return unsafe String(cString: text)
  }
}
