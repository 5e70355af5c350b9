import Bindery
import BinderyTestKit
import Foundation
import Synchronization
import Testing

/// Endpoints and middleware of a program, over HTTP.
struct EndpointTests {
  @Test func `an endpoint of the program answers beside the state`() async throws {
    var service = ServiceConfiguration<TallyState>()
    service.endpoints.append(
      Endpoint(.get, "/hello/{name}") { request in
        .text("Hello, \(request.parameters["name"] ?? "")!")
      })
    try await run(service) { curl in
      var answer = try await curl("/hello/Ada%20L")
      #expect(answer == "Hello, Ada L!")
      answer = try await curl("/state/count")
      #expect(answer == "0")
    }
  }

  @Test func `the body of a response may be longer than all that the server buffers`() async throws {
    var service = ServiceConfiguration<TallyState>()
    service.endpoints.append(
      Endpoint(.get, "/zeros") { _ in
        let body = [UInt8](repeating: 0, count: 100 << 20)
        return EndpointResponse(mediaType: "application/octet-stream", body: body, fields: [("X-Mine", "1")])
      })
    try await run(service) { curl in
      let answer = try await curl(
        "/zeros", "-o", "/dev/null", "-w", "%{http_code} %{size_download} %header{x-mine} %header{content-type}")
      #expect(answer == "200 \(100 << 20) 1 application/octet-stream")
    }
  }

  @Test func `a middleware refuses requests and adds header fields`() async throws {
    var service = ServiceConfiguration<TallyState>()
    service.middleware.append { request in
      guard request.field("X-Tenant") != nil else { return .respond(.text("Send X-Tenant.\n", status: 400)) }
      return .next(adding: [("X-Served-By", "kitchen")])
    }
    try await run(service) { curl in
      var answer = try await curl("/state/count", "-w", "%{http_code}")
      #expect(answer == "Send X-Tenant.\n400")
      answer = try await curl("/state/count", "-i", "-H", "x-tenant: a")
      #expect(answer.contains("X-Served-By: kitchen\r\n") && answer.hasSuffix("\r\n\r\n0"))
      answer = try await curl("/unknown", "-i", "-H", "X-Tenant: a")
      #expect(answer.contains("X-Served-By: kitchen\r\n"))
    }
  }

  @Test func `fields that the server writes itself are left out of those of the program`() async throws {
    let own = [
      "Connection", "content-length", "Content Length", "Content-Type", "DATE", "Keep-Alive", "Proxy-Connection", "TE",
      "Trailer", "Transfer-Encoding", "Transfer:Encoding", "Upgrade", "", "X-Mine",
    ].map { (name: $0, value: "7") }
    var service = ServiceConfiguration<TallyState>()
    service.endpoints.append(
      Endpoint(.get, "/fields") { _ in
        EndpointResponse(mediaType: "text/plain", body: Array("four".utf8), fields: own)
      })
    service.middleware.append { request in
      guard request.query != "refused" else {
        return .respond(EndpointResponse(status: 400, mediaType: "text/plain", body: [], fields: own))
      }
      return .next(adding: own)
    }
    try await run(service) { curl in
      for (path, mine) in [("/fields", 2), ("/state/count", 1), ("/unknown", 1), ("/fields?refused", 1)] {
        let answer = try await curl(path, "-i")
        let lines = answer.prefix(upTo: try #require(answer.firstRange(of: "\r\n\r\n")).lowerBound)
          .split(separator: "\r\n").dropFirst()
        let names = lines.map { $0.prefix { $0 != ":" }.lowercased() }
        #expect(names.count { $0 == "x-mine" } == mine, "\(answer)")
        for name in ["content-length", "content-type", "date"] {
          #expect(names.count { $0 == name } == 1, "\(name) in \(answer)")
        }
        #expect(lines.filter { $0.hasSuffix(": 7") }.count == mine, "\(answer)")
      }
    }
  }

  @Test func `a request passes the middleware once, however its body arrives`() async throws {
    var service = ServiceConfiguration<TallyState>()
    let calls = Mutex(0)
    service.middleware.append { _ in
      let number = calls.withLock { calls in
        calls += 1
        return calls
      }
      return .next(adding: [("X-Call", "\(number)")])
    }
    try await run(service) { curl in
      for (number, field) in ["X-A: a", "Transfer-Encoding: chunked", "Expect: 100-continue"].enumerated() {
        let answer = try await curl(
          "/state/count", "-i", "-X", "PUT", "-H", "Content-Type: application/json", "-d", "\(number)", "-H", field)
        #expect(answer.contains("X-Call: \(number + 1)\r\n") && answer.hasSuffix("\r\n\r\n\(number)"))
      }
    }
  }

  @Test func `an endpoint reads the body, the query and header fields, and uses the state`() async throws {
    var service = ServiceConfiguration<TallyState>()
    service.endpoints += [
      Endpoint(.post, "/add") { request, store in
        guard let step = Int(String(decoding: request.body, as: UTF8.self)) else {
          return .text("expected an integer\n", status: 422)
        }
        try await store.edit(TallyState.places.count) { $0 += step }
        let (query, tag) = (request.query ?? "", request.field("x-tag") ?? "")
        return .json(encoded: Array("{\"query\":\"\(query)\",\"tag\":\"\(tag)\"}".utf8))
      },
      Endpoint(.get, "/add") { _ in .text("POST an integer.") },
      Endpoint(.get, "/fail") { _ in throw CocoaError(.fileNoSuchFile) },
      Endpoint(.get, "/teapot") { _ in .text("", status: 418) },
    ]
    try await run(service) { curl in
      var answer = try await curl("/add?a=1", "-d", "3", "-H", "X-Tag: t")
      #expect(answer == #"{"query":"a=1","tag":"t"}"#)
      answer = try await curl("/state/count")
      #expect(answer == "3")
      answer = try await curl("/add", "-d", "x", "-w", "%{http_code}")
      #expect(answer == "expected an integer\n422")
      answer = try await curl("/add", "-I")
      #expect(answer.contains("Content-Length: 16\r\n"))
      answer = try await curl("/add", "-X", "OPTIONS", "-i")
      #expect(answer.contains("Allow: GET, HEAD, POST, OPTIONS\r\n"))
      answer = try await curl("/add", "-X", "PUT", "-d", "1", "-w", "%{http_code}")
      #expect(answer.hasSuffix("405"))
      answer = try await curl("/fail", "-w", "%{http_code}")
      #expect(answer.hasSuffix("500"))
      answer = try await curl("/teapot", "-w", "%{http_code}")
      #expect(answer.hasSuffix("500"))
      answer = try await curl("/metrics")
      #expect(answer.contains(#"route="/add""#))
    }
  }

  @Test func `an endpoint needs a token unless it is for everyone`() async throws {
    var service = ServiceConfiguration<TallyState>()
    let (write, read) = ("write-0123456789abcdef", "read-0123456789abcdef")
    service.endpoints += [
      Endpoint(.get, "/report") { _ in .text("report") },
      Endpoint(.post, "/report") { _ in .text("made") },
      Endpoint(.post, "/hook", access: .everyone) { _ in .text("thanks") },
    ]
    try await run(service, access: .tokens([write], reading: [read])) { curl in
      var answer = try await curl("/report", "-w", "%{http_code}")
      #expect(answer.hasSuffix("401"))
      answer = try await curl("/report", "-H", "Authorization: Bearer \(read)")
      #expect(answer == "report")
      answer = try await curl("/report", "-d", "", "-w", "%{http_code}", "-H", "Authorization: Bearer \(read)")
      #expect(answer.hasSuffix("403"))
      answer = try await curl("/report", "-d", "", "-H", "Authorization: Bearer \(write)")
      #expect(answer == "made")
      answer = try await curl("/hook", "-d", "{}")
      #expect(answer == "thanks")
      answer = try await curl("/hook", "-d", "{}", "-w", "%{http_code}", "-H", "Origin: https://a.example")
      #expect(answer.hasSuffix("403"))
      answer = try await curl("/hook", "-w", "%{http_code}")
      #expect(answer.hasSuffix("405"))
    }
  }

  @Test func `a placeholder matches no path of the service`() async throws {
    var service = ServiceConfiguration<TallyState>()
    let (write, read) = ("write-0123456789abcdef", "read-0123456789abcdef")
    let methods: [EndpointMethod] = [.get, .post, .put, .patch, .delete]
    service.endpoints = ["/{a}", "/{a}/{b}"].flatMap { path in
      methods.map { Endpoint($0, path, access: .everyone) { request in .text("mine \(request.segments)") } }
    }
    try await run(service, access: .tokens([write], reading: [read])) { curl in
      let paths = [
        "/state", "/%73tate", "/state/count", "/state/count?x", "/%73tate/%63ount", "/state/", "/events",
        "/events?path=/", "/history", "/history/1", "/metrics", "/%6detrics", "/openapi.yaml", "/docs",
      ]
      for path in paths {
        let answer = try await curl(path, "-w", "%{http_code}")
        #expect(answer.hasSuffix("401"), "\(path): \(answer)")
      }
      for path in ["/livez", "/readyz", "/console", "/client.js", "/problems", "/problems/unknown-path"] {
        let answer = try await curl(path)
        #expect(!answer.hasPrefix("mine"), "\(path): \(answer)")
      }
      for method in ["PATCH", "PUT", "POST", "DELETE"] {
        for path in ["/state", "/state/count", "/%73tate/count"] {
          let answer = try await curl(
            path, "-X", method, "-d", "4", "-H", "Content-Type: application/json", "-w", "%{http_code}")
          #expect(answer.hasSuffix("401"), "\(method) \(path): \(answer)")
        }
      }
      var answer = try await curl("/session", "-d", "", "-w", "%{http_code}")
      #expect(answer.hasSuffix("401"))
      answer = try await curl("/state/count", "-H", "Authorization: Bearer \(read)")
      #expect(answer == "0")
      answer = try await curl("/mine/%73tate")
      #expect(answer == #"mine ["mine", "state"]"#)
    }
  }

  @Test func `each method of a path has an access of its own`() async throws {
    var service = ServiceConfiguration<TallyState>()
    let (write, read) = ("write-0123456789abcdef", "read-0123456789abcdef")
    service.endpoints = [
      Endpoint(.get, "/admin") { _ in .text("secret") },
      Endpoint(.post, "/admin", access: .everyone) { _ in .text("welcome") },
      Endpoint(.get, "/{page}", access: .everyone) { _ in .text("page") },
      Endpoint(.post, "/{page}") { _ in .text("posted") },
      Endpoint(.get, "/page") { _ in .text("own page") },
    ]
    try await run(service, access: .tokens([write], reading: [read])) { curl in
      for method in ["GET", "HEAD"] {
        let answer = try await curl("/admin", "-X", method, "-I", "-w", "%{http_code}")
        #expect(answer.hasSuffix("401"), "\(answer)")
      }
      for options in [[], ["-H", "Authorization: Bearer \(read)"], ["-H", "Authorization: Bearer wrong"]] {
        let answer = try await curl("/admin", ["-d", ""] + options)
        #expect(answer == "welcome")
      }
      var answer = try await curl("/other")
      #expect(answer == "page")
      answer = try await curl("/page", "-w", "%{http_code}")
      #expect(answer.hasSuffix("401"))
      answer = try await curl("/page", "-d", "", "-H", "Authorization: Bearer \(write)")
      #expect(answer == "posted")
      answer = try await curl("/page", "-d", "", "-w", "%{http_code}")
      #expect(answer.hasSuffix("401"))
    }
  }

  @Test func `an endpoint commits in the name of its client`() async throws {
    var service = ServiceConfiguration<TallyState>()
    service.endpoints = [
      Endpoint(.post, "/add") { request, store in
        try await store.commit(by: request.author) { $0.count &+= 1 }
        return .text(request.author)
      }
    ]
    let token = "write-0123456789abcdef"
    try await run(service, access: .tokens([token])) { curl in
      let credential = ["-H", "Authorization: Bearer \(token)"]
      let author = try await curl("/add", ["-d", ""] + credential)
      _ = try await curl("/state/count", ["-X", "PATCH", "-d", "7"] + credential)
      let history = try await curl("/history", credential)
      #expect(history.components(separatedBy: #""by":"\#(author)""#).count == 3, "\(author): \(history)")
    }
  }

  @Test func `an endpoint is cancelled when its client closes the connection`() async throws {
    var service = ServiceConfiguration<TallyState>()
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    service.endpoints = [
      Endpoint(.get, "/wait") { _ in
        await withTaskCancellationHandler {
          start.yield()
          for await _ in AsyncStream<Void>.makeStream().stream {}
        } onCancel: {
          end.yield()
        }
        return .text("")
      }
    ]
    let server = try Service(initial: TallyState(), listeningOn: ["127.0.0.1:0"], configuration: service)
    async let isOver: Void = server.run(handlesSignals: false)
    let client = try ChildProcess("curl", ["-sS", "http://\(server.addresses[0])/wait"])
    for await _ in starts { break }
    client.kill()
    for await _ in ends { break }
    server.stop()
    try await isOver
  }

  @Test(arguments: [
    (EndpointMethod.get, "two endpoints answer GET /x/{b}"),
    (.put, "“/x/{b}” cannot be the path of an endpoint: another one has /x/{a}, so use its names"),
  ])
  func `endpoints whose paths differ only in names are an error at start`(_ method: EndpointMethod, _ reason: String) {
    var service = ServiceConfiguration<TallyState>()
    service.endpoints = [Endpoint(.get, "/x/{a}") { _ in .text("") }, Endpoint(method, "/x/{b}") { _ in .text("") }]
    #expect(throws: ServiceError.invalidEndpoint(reason)) {
      try Service(initial: TallyState(), listeningOn: ["127.0.0.1:0"], configuration: service)
    }
  }

  @Test(arguments: [
    "", "hello", "/", "/state/x", "/metrics", "/a/", "/a//b", "/%", "/a?x=1", "/a#b", "/x/{a}/{a}", "/{}", "/x/{a",
    "/{a}.json", "/{{a}}",
  ])
  func `a path that cannot be an endpoint is an error at start`(_ path: String) {
    var service = ServiceConfiguration<TallyState>()
    service.endpoints = [Endpoint(.get, path) { _ in .text("") }]
    let error = #expect(throws: ServiceError.self) {
      try Service(initial: TallyState(), listeningOn: ["127.0.0.1:0"], configuration: service)
    }
    guard case .invalidEndpoint(let reason)? = error else {
      Issue.record("the service started")
      return
    }
    #expect(reason.contains("“\(path)”"))
  }
}

private struct TallyState: StateModel {
  var count = 0

  static let shape = EditableShape<TallyState>.members(TallyState.init, StoredMember("count", \.count))
}

/// Runs a service in memory. The closure receives a function that sends a request with curl.
private func run(
  _ configuration: ServiceConfiguration<TallyState>, access: AccessPolicy = .local,
  _ body: (_ curl: Curl) async throws -> Void
) async throws {
  let service = try Service(
    initial: TallyState(), listeningOn: ["127.0.0.1:0"], access: access, configuration: configuration)
  async let end: Void = service.run(handlesSignals: false)
  let address = service.addresses[0]
  try await body(Curl(address: address))
  service.stop()
  try await end
}
