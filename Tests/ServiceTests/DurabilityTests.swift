import BinderyCore
import BinderyService
import BinderyTestKit
import Foundation
import Testing

/// A service with a durable store, made with the public initializer.
@Suite(.serialized)
struct DurabilityTests {
  private let folder: TemporaryFolder
  private var path: String { folder("tally.db") }
  private let count = Tally.places.count

  init() throws { folder = try TemporaryFolder() }

  private func service(_ store: (any StoreDriver)? = nil) throws -> Service<Tally> {
    try Service(initial: Tally(), store: store ?? .sqlite(path), listeningOn: ["127.0.0.1:0"])
  }

  @Test func `the state, the revision, the entity tags and the history survive a restart`() async throws {
    let first = try service()
    try await first.store.edit(count) { $0 = 7 }
    let tag = try first.store.entityTag(of: count)
    first.stop()
    try await first.run(handlesSignals: false)

    let second = try service()
    #expect(try second.store.read(count) == 7)
    #expect(second.store.revision == 1)
    #expect(try second.store.entityTag(of: count) == tag)
    let run = Task { try await second.run(handlesSignals: false) }
    try await second.requests { client throws in
      #expect(try client.get("/state/count").etag == tag)
      #expect(try client.get("/history").text.contains(#""value":7"#))
      #expect(try client.patch("/state/count", "8", ["If-Match": tag]).status == 200)
    }
    second.stop()
    try await run.value
    await #expect(throws: CommitError.self) { try await second.store.edit(count) { $0 = 9 } }
    #expect(try service().store.read(count) == 8)
  }

  @Test func `a store that another service has open is refused with a readable error`() throws {
    let first = try service()
    let error = #expect(throws: ServiceError.self) { try service() }
    #expect(error?.description.contains("another server uses the store") == true)
    withExtendedLifetime(first) {}
  }

  @Test func `a service that never ran releases its store`() throws {
    do { _ = try service() }
    _ = try service()
  }

  @Test func `the initial state is evaluated only for a new store`() async throws {
    do { _ = try service() }
    func unexpected() -> Tally {
      Issue.record("evaluated")
      return Tally()
    }
    _ = try Service(initial: unexpected(), store: .sqlite(path), listeningOn: ["127.0.0.1:0"])
  }

  @Test func `a store in memory forgets its state`() async throws {
    let first = try service(.memory)
    try await first.store.edit(count) { $0 = 7 }
    #expect(try service(.memory).store.revision == 0)
  }

  @Test func `the sizes of the files of the store are metrics`() async throws {
    let service = try service()
    let run = Task { try await service.run(handlesSignals: false) }
    try await service.store.edit(count) { $0 = 7 }
    let metrics = try await service.requests { try $0.get("/metrics").text }
    func value(_ sample: String) -> Int? {
      let line = metrics.split(separator: "\n").first { $0.hasPrefix(sample + " ") }
      return line.flatMap { Int($0.dropFirst(sample.count + 1)) }
    }
    for (file, path) in [("database", path), ("wal", path + "-wal")] {
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      #expect(try #require(size) > 0)
      #expect(value("bindery_store_bytes{file=\"\(file)\"}") == size)
    }
    #expect(try #require(value("bindery_store_free_bytes")) > 0)
    service.stop()
    try await run.value
  }

  @Test func `a file cannot have the path of the service itself`() throws {
    for path in ["/state", "/state/x", "page.js", "/metrics"] {
      var configuration = ServiceConfiguration<Tally>()
      configuration.files = [WebFile(path: path, mediaType: "text/plain", content: [])]
      #expect(throws: ServiceError.self) {
        try Service(initial: Tally(), listeningOn: ["127.0.0.1:0"], configuration: configuration)
      }
    }
  }
}
