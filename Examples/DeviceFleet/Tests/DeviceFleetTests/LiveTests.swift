import Bindery
import Foundation
import FoundationNetworking
import Testing

@testable import DeviceFleet

/// The service over HTTP.
struct LiveTests {
  private let device = "/state/devices/de71ce00-0000-8000-8000-000000000001"

  /// Runs a service with its page while `body` sends requests.
  private func withService(
    store: any StoreDriver = .memory, _ body: (Bindery.Service<Fleet>) async throws -> Void
  ) async throws {
    var configuration = ServiceConfiguration<Fleet>()
    configuration.files = FleetPage.files
    let service = try Service(
      initial: Fleet.example, store: store, listeningOn: ["127.0.0.1:0"], configuration: configuration)
    async let run: Void = service.run(handlesSignals: false)
    try await body(service)
    service.stop()
    try await run
  }

  private func send(
    _ method: String, _ path: String, _ body: String? = nil, _ headers: [String: String] = [:],
    to service: Bindery.Service<Fleet>
  ) async throws -> (response: HTTPURLResponse, text: String) {
    var request = URLRequest(url: URL(string: "http://\(service.addresses[0])\(path)")!)
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    request.allHTTPHeaderFields = headers.merging(["Content-Type": "application/json"]) { $1 }
    let (content, response) = try await URLSession.shared.data(for: request)
    let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .newlines)
    return (try #require(response as? HTTPURLResponse), text)
  }

  @Test func `a client that waits for a device is told when the monitor marks it as offline`() async throws {
    try await withService { service in
      let heartbeat = #"{"at":"2026-11-22T12:00:00Z","firmware":"1.0.0"}"#
      #expect(try await send("PATCH", device + "/heartbeat", heartbeat, to: service).response.statusCode == 200)
      let online = try await send("GET", device + "/connection", to: service)
      #expect(online.text.hasPrefix(#"{"online":"#))
      let tag = try #require(online.response.value(forHTTPHeaderField: "ETag"))
      async let next = send("GET", device + "/connection?wait=60", nil, ["If-None-Match": tag], to: service)
      let time = try Date("2026-11-22T12:01:00Z", strategy: .iso8601)
      try await FleetMonitor(timeout: 30, now: { time }).check(service.store)
      #expect(try await next.text.hasPrefix(#"{"offline":{"since":"2026-11-22T12:01:00.000Z""#))
    }
  }

  @Test func `acknowledged changes survive a restart, and can be reverted`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).db").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try await withService(store: .sqlite(file)) { service in
      #expect(try await send("PUT", "/state/targetVersion", #""2.0.0""#, to: service).response.statusCode == 200)
      let refused = try await send("PUT", device + "/site", #""paris""#, to: service)
      #expect(refused.response.statusCode == 422 && refused.text.contains("no site has the code"))
    }
    try await withService(store: .sqlite(file)) { service in
      let rollout = try await send("GET", "/state/rollout", to: service)
      #expect(rollout.text == #"{"running":{"version":"2.0.0","percent":0}}"#)
      #expect(try await send("POST", "/history/1/revert", to: service).response.statusCode == 200)
      #expect(try await send("GET", "/state/rollout", to: service).text == #""idle""#)
    }
  }

  @Test func `the page refers only to files that the service has`() async throws {
    try await withService { service in
      for file in FleetPage.files {
        let reply = try await send("GET", file.path, to: service)
        #expect(reply.response.statusCode == 200, "\(file.path)")
        for match in reply.text.matches(of: /(?:src="|href="|from "\.\/)([\w\/]+\.(?:js|css|svg))"/) {
          let path = (file.path.hasPrefix("/js/") ? "/js/" : "/") + match.output.1
          #expect(FleetPage.files.contains { $0.path == path }, "\(file.path) refers to \(path)")
        }
      }
    }
  }

  @Test(arguments: [
    ["--offline-after", "0"], ["--offline-after", "soon"], ["--simulate", "-1"], ["--simulate", "2000"],
  ])
  func `an invalid option is refused by the check`(_ options: [String]) async {
    #expect(await DeviceFleet.run(["check", "--store", "memory"] + options, environment: [:]) == 78)
  }
}
