/// How much it matters.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
  case debug, info, warning, error

  package static func < (one: LogLevel, other: LogLevel) -> Bool { one.rank < other.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// How a line is written.
package enum LogFormat: String, Sendable, CaseIterable {
  /// For people.
  case text
  /// One JSON object a line.
  case json
}

/// What a line says besides its message.
package struct LogField: Sendable {
  package enum Value: Sendable {
    case text(String)
    case number(Int)
    /// A whole number of nanoseconds, shown as seconds.
    case time(Int)
  }

  let name: String
  let value: Value

  package static func text(_ name: String, _ value: String) -> LogField { LogField(name: name, value: .text(value)) }
  package static func number(_ name: String, _ value: Int) -> LogField { LogField(name: name, value: .number(value)) }
  package static func time(_ name: String, nanoseconds: Int) -> LogField {
    LogField(name: name, value: .time(nanoseconds))
  }
}

/// Tells people and machines what happens, a line an event.
package struct Logger: Sendable {
  package let format: LogFormat
  /// What matters less is left out.
  package let level: LogLevel
  private let clock: @Sendable () -> Int64
  private let write: @Sendable ([UInt8]) -> Void

  /// - Parameters:
  ///   - clock: milliseconds since 1970 in UTC.
  ///   - write: takes one line with its end; must not block.
  package init(
    _ format: LogFormat, level: LogLevel = .info, clock: @escaping @Sendable () -> Int64,
    write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.format = format
    self.level = level
    self.clock = clock
    self.write = write
  }

  /// Writes a line, unless it matters too little.
  package func log(_ level: LogLevel, _ message: String, _ fields: LogField...) { log(level, message, fields) }

  /// Writes a line, unless it matters too little.
  package func log(_ level: LogLevel, _ message: String, _ fields: [LogField]) {
    guard level >= self.level else { return }
    var line = LogLine()
    switch format {
    case .text: line.writeText(clock(), level, message, fields)
    case .json: line.writeJSON(clock(), level, message, fields)
    }
    write(line.bytes)
  }
}
