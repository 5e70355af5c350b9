import Bindery
import BinderyTestKit
import Foundation
import Synchronization
import Testing

/// The lines of the documentation that connect a service to swift-log, swift-metrics and ServiceLifecycle, compiled with
/// types that have the same declarations as those of these packages.
@Suite(.serialized)
struct HookTests {
  @Test func `log events go to swift-log`() async throws {
    var service = ServiceConfiguration<CounterState>()
    let logger = Logger(label: "counter")
    service.log = { severity, message, metadata in
      logger.log(
        level: Logger.Level(rawValue: severity.rawValue) ?? .info, "\(message)",
        metadata: Logger.Metadata(metadata.map { ($0, .string($1)) }, uniquingKeysWith: { $1 }))
    }
    service.logsRequests = true
    try await run(service) { _ = try await get("/state/count", of: $0) }
    let request = Logger.lines.withLock { lines in lines.first { $0.metadata["path"] == .string("/state/count") } }
    #expect(request?.level == .info && request?.label == "counter" && request?.message.text.isEmpty == false)
    for severity in LogSeverity.allCases { #expect(Logger.Level(rawValue: severity.rawValue) != nil) }
  }

  @Test func `metrics go to swift-metrics`() async throws {
    var service = ServiceConfiguration<CounterState>()
    service.metricHandler = { samples in
      for sample in samples { Gauge(label: sample.name, dimensions: sample.labels).record(sample.value) }
    }
    service.metricInterval = .milliseconds(1)
    try await run(service) { service in
      try await service.store.edit(CounterState.places.count) { $0 = 1 }
      for await (label, value) in Gauge.values where label == "bindery_commits_total" && value == 1 { break }
    }
  }

  @Test func `a group of ServiceLifecycle runs the service and stops it gracefully`() async throws {
    let service = try Service(initial: CounterState(), listeningOn: ["127.0.0.1:0"])
    let logger = Logger(label: "counter")
    struct StateService: ServiceLifecycle.Service {
      let service: Bindery.Service<CounterState>

      func run() async throws {
        try await withGracefulShutdownHandler {
          try await service.run(handlesSignals: false)
        } onGracefulShutdown: {
          service.stop()
        }
      }
    }
    let group = ServiceGroup(
      services: [StateService(service: service)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    async let whenServed: Void = requestShutdown(of: service)
    try await group.run()
    try await whenServed
  }

  /// Shuts the group down when the service has answered a request.
  private func requestShutdown(of service: Bindery.Service<CounterState>) async throws {
    #expect(try await get("/state/count", of: service) == "0")
    let shutDown = try #require(GracefulShutdown.handler.withLock { $0 })
    shutDown()
  }

  @Test(arguments: ["ServiceConfiguration", "Service+Run"])
  func `the documentation has the lines of these tests`(_ file: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
    let sources = root.appending(path: "Sources/BinderyService")
    let documentation = try String(contentsOf: sources.appending(path: file + ".swift"), encoding: .utf8)
    let test = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let known = Set(test.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
    var lines: [String] = []
    var isExample = false
    for line in documentation.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
      if line.hasPrefix("///     import ") { isExample = true }
      if !line.hasPrefix("///     "), line != "///" { isExample = false }
      if isExample, line.hasPrefix("///     ") {
        lines.append(line.dropFirst(3).trimmingCharacters(in: .whitespaces))
      }
    }
    #expect(lines.count > 3)
    for line in lines where !line.hasPrefix("import ") { #expect(known.contains(line), "\(line)") }
  }
}

private struct CounterState: StateModel {
  var count = 0

  static let shape = EditableShape<CounterState>.members(CounterState.init, StoredMember("count", \.count))
}

/// Runs a service in memory.
private func run(
  _ configuration: ServiceConfiguration<CounterState>, _ body: (Bindery.Service<CounterState>) async throws -> Void
) async throws {
  let service = try Service(
    initial: CounterState(), listeningOn: ["127.0.0.1:0"], configuration: configuration)
  async let end: Void = service.run(handlesSignals: false)
  try await body(service)
  service.stop()
  try await end
}

/// Sends a request without blocking a thread of the concurrency pool.
private func get(_ path: String, of service: Bindery.Service<CounterState>) async throws -> String {
  let url = "http://\(service.addresses[0])\(path)"
  return try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(
        with: Result { try ChildProcess.run("curl", ["-sS", url]).output }.map {
          $0.trimmingCharacters(in: .newlines)
        })
    }
  }
}

// MARK: - swift-log

private struct Logger: Sendable {
  enum Level: String, Codable, CaseIterable, Sendable {
    case trace, debug, info, notice, warning, error, critical
  }

  typealias Metadata = [String: MetadataValue]

  enum MetadataValue: Equatable, Sendable {
    case string(String)
  }

  struct Message: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable {
    let text: String

    init(stringLiteral text: String) { self.text = text }
  }

  struct Line: Sendable {
    let label: String
    let level: Level
    let message: Message
    let metadata: Metadata
  }

  static let lines = Mutex<[Line]>([])
  let label: String

  func log(
    level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
    source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function, line: UInt = #line
  ) {
    let event = Line(label: label, level: level, message: message(), metadata: metadata() ?? [:])
    Self.lines.withLock { $0.append(event) }
  }
}

// MARK: - swift-metrics

private class Recorder: @unchecked Sendable {
  let label: String
  let dimensions: [(String, String)]

  init(label: String, dimensions: [(String, String)] = [], aggregate: Bool) {
    self.label = label
    self.dimensions = dimensions
  }

  func record(_ value: some BinaryInteger) { Gauge.input.yield((label, Double(value))) }
  func record(_ value: some BinaryFloatingPoint) { Gauge.input.yield((label, Double(value))) }
}

private final class Gauge: Recorder, @unchecked Sendable {
  static let (values, input) = AsyncStream.makeStream(of: (String, Double).self)

  convenience init(label: String, dimensions: [(String, String)] = []) {
    self.init(label: label, dimensions: dimensions, aggregate: false)
  }
}

// MARK: - ServiceLifecycle

private enum ServiceLifecycle {
  protocol Service: Sendable {
    func run() async throws
  }
}

private enum GracefulShutdown {
  static let handler = Mutex<(@Sendable () -> Void)?>(nil)
}

private func withGracefulShutdownHandler<T>(
  isolation: isolated (any Actor)? = #isolation, operation: () async throws -> T,
  onGracefulShutdown handler: @Sendable @escaping () -> Void
) async rethrows -> T {
  GracefulShutdown.handler.withLock { $0 = handler }
  return try await operation()
}

private struct UnixSignal: Sendable {
  static let sigterm = UnixSignal()
  static let sigint = UnixSignal()
}

private actor ServiceGroup {
  private let services: [any ServiceLifecycle.Service]

  init(
    services: [any ServiceLifecycle.Service], gracefulShutdownSignals: [UnixSignal] = [],
    cancellationSignals: [UnixSignal] = [], logger: Logger
  ) {
    self.services = services
  }

  func run() async throws {
    for service in services { try await service.run() }
  }
}
