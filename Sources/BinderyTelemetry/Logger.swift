/// The severity of a log message, in ascending order.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
  case debug, info, warning, error

  package static func < (lhs: LogLevel, rhs: LogLevel) -> Bool { lhs.rank < rhs.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The format of log lines.
package enum LogFormat: String, Sendable, CaseIterable {
  /// Human-readable text: `time level message name=value`.
  case text
  /// One JSON object per line.
  case json
}

/// A name and a value that a log line carries besides its message.
package struct LogField: Sendable {
  package enum Value: Sendable {
    case text(String)
    case number(Int)
    /// A duration in nanoseconds, written as seconds.
    case time(Int)
  }

  let name: String
  let value: Value

  /// Creates a field with a text value.
  package static func text(_ name: String, _ value: String) -> LogField { LogField(name: name, value: .text(value)) }
  /// Creates a field with an integer value.
  package static func number(_ name: String, _ value: Int) -> LogField { LogField(name: name, value: .number(value)) }
  /// Creates a field with a duration, which is written as seconds.
  package static func time(_ name: String, nanoseconds: Int) -> LogField {
    LogField(name: name, value: .time(nanoseconds))
  }
}

extension LogField {
  /// Whether the value is a text, and not a number or a duration.
  var isText: Bool { if case .text = value { true } else { false } }

  /// The name and the value as text; a duration is in seconds.
  package var text: (String, String) {
    switch value {
    case .text(let text): (name, text)
    case .number(let number): (name, String(number))
    case .time(let nanoseconds): (name, Exposition.decimal(nanoseconds, digits: 9))
    }
  }
}

/// A structured logger. Each event is one line, or one call of a closure.
package struct Logger: Sendable {
  /// The minimum level; messages below it are dropped.
  package let level: LogLevel
  private let handle: @Sendable (LogLevel, String, [LogField]) -> Void

  /// Creates a logger that calls a closure.
  ///
  /// - Parameters:
  ///   - level: The minimum level; messages below it are dropped.
  ///   - handle: Called for each event, also on event loops; it must not block.
  package init(level: LogLevel = .debug, _ handle: @escaping @Sendable (LogLevel, String, [LogField]) -> Void) {
    self.level = level
    self.handle = handle
  }

  /// Creates a logger that writes lines.
  ///
  /// - Parameters:
  ///   - format: The format of the lines.
  ///   - level: The minimum level; messages below it are dropped.
  ///   - hasPriorities: Whether each line begins with its priority, for the journal of systemd.
  ///   - clock: Returns milliseconds since 1970 in UTC.
  ///   - write: Writes one line, which ends with a line feed. It is called on event loops and must not block.
  package init(
    _ format: LogFormat, level: LogLevel = .info, hasPriorities: Bool = false,
    clock: @escaping @Sendable () -> Int64,
    write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.init(level: level) { level, message, fields in
      var line = LogLine()
      if hasPriorities { line.writePriority(level) }
      switch format {
      case .text: line.writeText(clock(), level, message, fields)
      case .json: line.writeJSON(clock(), level, message, fields)
      }
      write(line.bytes)
    }
  }

  /// Logs an event, unless its level is below the minimum level.
  package func log(_ level: LogLevel, _ message: String, _ fields: LogField...) { log(level, message, fields) }

  /// Logs an event, unless its level is below the minimum level.
  package func log(_ level: LogLevel, _ message: String, _ fields: [LogField]) {
    guard level >= self.level else { return }
    handle(level, message, fields)
  }
}
