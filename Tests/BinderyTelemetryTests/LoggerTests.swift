import BinderyJSON
import BinderyTelemetry
import Synchronization
import Testing

/// A log destination that records the lines.
final class LogRecorder: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func logger(_ format: LogFormat, level: LogLevel = .info) -> Logger {
    Logger(format, level: level, clock: { 1_795_287_600_123 }, write: write)
  }

  func write(_ line: [UInt8]) { bytes.withLock { $0 += line } }

  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
  var all: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }
}

/// The format of log lines, and protection against log injection.
struct LoggerTests {
  @Test(
    arguments: [
      (-2_208_988_800_000, "1900-01-01T00:00:00.000Z"), (9_223_372_036_855, "2262-04-11T23:47:16.855Z"),
      (.min, "-292275055-05-16T16:47:04.192Z"), (.max, "292278994-08-17T07:12:55.807Z"),
    ] as [(Int64, String)])
  func `a line has a time whatever the clock shows`(_ milliseconds: Int64, _ time: String) {
    for format in LogFormat.allCases {
      let lines = LogRecorder()
      Logger(format, clock: { milliseconds }, write: lines.write).log(.info, "started")
      #expect(lines.text.contains(time))
    }
  }

  /// Texts that try to end a line, to control the terminal, or to add fields.
  static let hostile = [
    "a\r\n2026-11-21T00:00:00.000Z error forged", "\u{1B}[2J\u{1B}]0;title\u{7}", "\u{9B}31m", "\0", "\u{7F}", "\t",
    "\u{2028}\u{2029}\u{85}", "\u{202E}txt.exe", "\"},{\"level\":\"error\"", "\\", "\\u000a", "a b=c", "", "=",
    "\u{FEFF}", "\u{E000}", "🍝 crème",
    String(decoding: [0xFF, 0xC0, 0x80, 0x0A, 0xED, 0xA0, 0x80] as [UInt8], as: UTF8.self),
  ]

  @Test(arguments: hostile)
  func `a line is one line of printable text, whatever is logged`(_ text: String) {
    for format in LogFormat.allCases {
      let lines = LogRecorder()
      lines.logger(format).log(.info, text, .text("path", text), .number("n", 1))
      #expect(lines.all.count == 1)
      for scalar in lines.text.dropLast().unicodeScalars {
        #expect(scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format)
        #expect(scalar != "\u{2028}" && scalar != "\u{2029}")
      }
    }
  }

  @Test(arguments: hostile)
  func `a JSON line is valid JSON with the logged values`(_ text: String) throws {
    let lines = LogRecorder()
    lines.logger(.json).log(.warning, text, .text("path", text), .time("seconds", nanoseconds: 1_500))
    let line = try JSONDocument(parsing: Array(lines.text.utf8)).root
    #expect(line["message"]?.string == text)
    #expect(line["path"]?.string == text)
    #expect(line["level"]?.string == "warning")
    #expect(lines.text.contains(#","seconds":0.0000015}"#))
  }

  @Test func `a text line has the time, the level, the message and the fields`() {
    let lines = LogRecorder()
    lines.logger(.text).log(
      .info, "request", .text("method", "GET"), .text("path", "/state/a b"), .number("status", 200),
      .time("seconds", nanoseconds: 120_000))
    #expect(
      lines.text
        == "2026-11-21T19:00:00.123Z info request method=GET path=\"/state/a b\" status=200 seconds=0.00012\n")
  }

  @Test func `messages below the minimum level are dropped`() {
    let lines = LogRecorder()
    let logger = lines.logger(.text, level: .warning)
    for level in LogLevel.allCases { logger.log(level, level.rawValue) }
    #expect(lines.all.count == 2)
  }

  @Test func `timestamps follow the Gregorian calendar`() {
    let cases: [(Int64, String)] = [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
    ]
    for (milliseconds, expected) in cases {
      let lines = LogRecorder()
      Logger(.text, clock: { milliseconds }, write: lines.write).log(.info, "x")
      #expect(lines.text == "\(expected) info x\n")
    }
  }
}
