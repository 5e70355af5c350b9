import Bindery
import BindingLaws
import Foundation
import FoundationNetworking
import Testing

@testable import Counter

struct CounterTests {
  @Test func `the laws of bindings hold`() {
    var generator = SeededGenerator(seed: 1)
    #expect(lawViolations(of: CounterState.self, using: &generator) == [])
  }

  @Test func `a computed member is written through its setter`() async throws {
    let store = Store(CounterState(count: 2))
    try await store.edit(CounterState.places.isEven) { $0 = false }
    #expect(try store.read(CounterState.places.count) == 3)
  }

  @Test func `a negative count is rejected`() async throws {
    let store = Store(CounterState())
    await #expect(throws: CommitError.self) { try await store.edit(CounterState.places.count) { $0 = -1 } }
    #expect(store.revision == 0)
  }

  @Test func `a write over HTTP survives a restart`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).db").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    for count in [0, 5] {
      let service = try Service(
        initial: CounterState(), store: .sqlite(file), listeningOn: ["127.0.0.1:0"], access: .tokens([token]))
      async let run: Void = service.run(handlesSignals: false)
      #expect(try await send("GET", to: service) == "\(count)")
      #expect(try await send("PATCH", "5", to: service) == "5")
      service.stop()
      try await run
    }
  }

  private let token = "a-token-of-the-tests"

  private func send(_ method: String, _ body: String? = nil, to service: Service<CounterState>) async throws -> String {
    var request = URLRequest(url: URL(string: "http://\(service.addresses[0])/state/count")!)
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let (content, _) = try await URLSession.shared.data(for: request)
    return String(decoding: content, as: UTF8.self).trimmingCharacters(in: .newlines)
  }
}
