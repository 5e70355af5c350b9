import BinderySystem
import BinderyTelemetry

/// What a server tells its operator, on the way to the standard error.
struct ServerLog: Sendable {
  let logger: Logger
  /// nil where the kernel has no thread to give: then each line is written where it is told.
  private let queue: LogQueue?

  init(_ format: LogFormat, level: LogLevel) {
    let queue = try? LogQueue()
    self.queue = queue
    logger = Logger(
      format, level: level, clock: { Clock.wallMilliseconds },
      write: { line in if let queue { queue.put(line) } else { StandardError.write(line) } })
  }

  /// Lets what was told come out before the process ends; a standard error that is stuck is not waited for.
  func flush() { queue?.flush(withinMilliseconds: 1_000) }

  /// Tells how much was lost.
  func collect(into exposition: inout Exposition) {
    exposition.single(
      "bindery_log_lines_dropped_total", .counter, "Log lines that nobody has read in time from the standard error.",
      queue?.droppedCount ?? 0)
  }
}
