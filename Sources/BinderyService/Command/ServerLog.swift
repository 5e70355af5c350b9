import BinderySystem
import BinderyTelemetry

/// The log of a server, written to standard error by a background thread.
struct ServerLog: Sendable {
  let logger: Logger
  /// The queue of the background thread. If nil because the thread could not be created, each line is written
  /// synchronously by the caller.
  private let queue: LogQueue?

  init(_ format: LogFormat, level: LogLevel) {
    let queue = try? LogQueue()
    self.queue = queue
    logger = Logger(
      format, level: level, hasPriorities: StandardError.isJournal, clock: { Clock.wallMilliseconds },
      write: { line in if let queue { queue.enqueue(line) } else { StandardError.write(line) } })
  }

  /// Waits up to one second until all lines are written. Called before the process exits.
  func flush() { queue?.flush(withinMilliseconds: 1_000) }

  /// Writes the number of dropped lines as a metric.
  func collect(into exposition: inout Exposition) {
    exposition.single(
      "bindery_log_lines_dropped_total", .counter, "Log lines dropped because standard error was blocked.",
      queue?.droppedCount ?? 0)
  }
}
