import BinderyCore
import BinderyService
import BinderyTestKit
import Glibc
import Synchronization
import Testing

/// Running a service from asynchronous code.
@Suite(.serialized) @MainActor
struct RunTests {
  private let count = Tally.places.count

  private func makeService() throws -> Service<Tally> {
    var configuration = ServiceConfiguration<Tally>()
    configuration.eventLoops = 1
    return try Service(initial: Tally(), listeningOn: ["127.0.0.1:0"], configuration: configuration)
  }

  @Test func `a running service does not block the main actor`() async throws {
    let service = try makeService()
    let run = Task { @MainActor in try await service.run(handlesSignals: false) }
    var seen: [Int] = []
    for await value in service.store.values(at: count) {
      let number = try value.get()
      seen.append(number)
      if number == 3 { break }
      try await service.store.edit(count) { $0 += 1 }
    }
    #expect(seen == [0, 1, 2, 3])
    #expect(try await service.requests { try $0.get("/state/count").text } == "3")
    service.stop()
    try await run.value
  }

  @Test func `cancelling the task stops the service`() async throws {
    let service = try makeService()
    let run = Task { try await service.run(handlesSignals: false) }
    #expect(try await service.requests { try $0.get("/livez").status } == 200)
    run.cancel()
    try await run.value
  }

  @Test func `the longest durations and the largest numbers are accepted`() async throws {
    let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
    for duration in [longest, .zero - longest] {
      var configuration = ServiceConfiguration<Tally>()
      configuration.eventLoops = duration > .zero ? .max : .min
      configuration.historyAge = duration
      configuration.storeWait = duration
      configuration.metricInterval = duration
      configuration.metricHandler = { _ in }
      var access = AccessPolicy.local
      access.sessionLifetime = duration
      let service = try Service(
        initial: Tally(), listeningOn: ["127.0.0.1:0"], access: access, configuration: configuration)
      let run = Task { try await service.run(handlesSignals: false) }
      #expect(try await service.requests { try $0.get("/livez").status } == 200)
      service.stop()
      try await run.value
    }
  }

  @Test func `a service that was stopped before it runs ends at once, and runs only once`() async throws {
    let service = try makeService()
    service.stop()
    try await service.run(handlesSignals: false)
    await #expect(throws: ServiceError.alreadyStarted) { try await service.run(handlesSignals: false) }
  }

  @Test func `a second run has no effect on the first`() async throws {
    let service = try makeService()
    let run = Task { try await service.run(handlesSignals: false) }
    #expect(try await service.requests { try $0.get("/livez").status } == 200)
    await #expect(throws: ServiceError.alreadyStarted) { try await service.run(handlesSignals: false) }
    try await service.store.edit(count) { $0 += 1 }
    #expect(try await service.requests { try $0.patch("/state/count", "2").status } == 200)
    service.stop()
    try await run.value
  }

  @Test func `a signal stops the service, and afterwards signals end the process again`() async throws {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let service = try Service(initial: Tally(), listeningOn: ["127.0.0.1:0"])
      let run = Task { try await service.run() }
      _ = try await service.requests { try $0.get("/livez").status }
      kill(getpid(), SIGINT)
      try await run.value
      // Not handled any more: ends this process.
      kill(getpid(), SIGTERM)
      while true { pause() }
    }
  }

  @Test func `hooks receive log events and metrics`() async throws {
    let lines = Mutex<[(LogSeverity, String, [(String, String)])]>([])
    let (samples, input) = AsyncStream.makeStream(of: [MetricSample].self)
    var configuration = ServiceConfiguration<Tally>()
    configuration.logsRequests = true
    configuration.log = { severity, message, metadata in lines.withLock { $0.append((severity, message, metadata)) } }
    configuration.metricInterval = .milliseconds(1)
    configuration.metricHandler = { input.yield($0) }
    let service = try Service(initial: Tally(), listeningOn: ["127.0.0.1:0"], configuration: configuration)
    let run = Task { try await service.run(handlesSignals: false) }
    _ = try await service.requests { try $0.get("/state/count").status }
    for await snapshot in samples {
      let requests = snapshot.filter { $0.name == "bindery_http_requests_total" }
      guard let request = requests.first(where: { $0.labels.contains { $0 == ("route", "/state/count") } }) else {
        continue
      }
      #expect(request.value == 1)
      break
    }
    service.stop()
    try await run.value
    let request = lines.withLock { $0.first { $0.2.contains { $0.1 == "/state/count" } } }
    #expect(request?.0 == .info, "\(lines.withLock { $0 })")
  }
}
