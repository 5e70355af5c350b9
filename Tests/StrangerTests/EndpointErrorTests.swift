import Bindery
import Foundation
import Testing

/// Endpoints that use the JSON of the model, and pass on the errors of the library.
struct EndpointErrorTests {
  @Test func `an endpoint reads and writes the JSON of the model`() async throws {
    try await withServer { curl in
      var answer = try await curl("/jars", "-d", #"{"id":1,"size":3}"#)
      #expect(answer == #"201 {"id":1,"size":3,"label":""}"#)
      answer = try await curl("/jars/1")
      #expect(answer == #"200 {"id":1,"size":3,"label":""}"#)
      answer = try await curl("/jars", "-d", #"{"id":1,"#)
      #expect(answer.hasPrefix("400 malformed-json "))
      answer = try await curl("/jars", "-d", #"{"id":2,"size":0}"#)
      #expect(answer == "422 invalid-value /size")
      answer = try await curl("/jars", "-d", #"{"id":2,"size":3,"colour":1}"#)
      #expect(answer == "422 unknown-member /colour")
      answer = try await curl("/jars", "-d", #"{"size":3}"#)
      #expect(answer == "422 missing-member /id")
    }
  }

  @Test func `an endpoint is called without a server`() async throws {
    let store = Store(Shelf())
    let endpoint = Endpoint<Shelf>(.post, "/jars") { request, store in
      try await store.edit(Shelf.places.jars) { try $0.insert(request.value(), at: 1) }
      return .json([1, 2])
    }
    let error = await #expect(throws: (any Error).self) {
      try await endpoint.respond(to: EndpointRequest(method: "POST", path: "/jars", body: Array("[".utf8)), store)
    }
    #expect("\(error, default: "")".hasPrefix("malformed-json: "))
    let body = Array(#"{"id":1,"size":3}"#.utf8)
    let range = await #expect(throws: InsertionError.indexOutOfRange) {
      try await endpoint.respond(to: EndpointRequest(method: "POST", path: "/jars", body: body), store)
    }
    #expect(range?.description == "the index is out of range")
    try await store.edit(Shelf.places.jars) { try $0.append(Jar(id: 7, size: 1)) }
    let response = try await endpoint.respond(to: EndpointRequest(path: "/jars", body: body), store)
    #expect(response.body == Array("[1,2]\n".utf8))
  }

  @Test func `an error of the library is the problem that a request to the state gets`() async throws {
    try await withServer { curl in
      var answer = try await curl("/jars/7")
      #expect(answer == "404 no-such-element ")
      answer = try await curl("/jars", "-d", #"{"id":1,"size":3}"#)
      #expect(answer.hasPrefix("201 "))
      answer = try await curl("/jars", "-d", #"{"id":1,"size":3}"#)
      #expect(answer == "422 duplicate-id ")
      answer = try await curl("/jars/1/size/0", "-X", "PUT")
      #expect(answer == "422 invalid-value /jars/1/size")
      answer = try await curl("/jars/1/size/9", "-X", "PUT")
      #expect(answer == "422 invalid-state /jars")
      answer = try await curl("/jars/1/size/4", "-X", "PUT", "-H", #"If-Match: "a""#)
      #expect(answer.hasPrefix("412 precondition-failed "))
      answer = try await curl("/state/jars/1/size")
      #expect(answer == "200 3")
    }
  }

  @Test func `an error of the program has a response of its own`() async throws {
    try await withServer { curl in
      var answer = try await curl("/sold-out")
      #expect(answer == "402 Payment Required: “Buy” a jar.")
      answer = try await curl("/jars", "-X", "PATCH")
      #expect(answer.hasPrefix("405 method-not-allowed "))
    }
  }
}

private struct SoldOut: EndpointError {
  var response: EndpointResponse { .problem(status: 402, detail: "“Buy” a jar.") }
}

private struct Jar: Editable, Identifiable {
  let id: Int
  var size: Int
  var label = ""

  static let shape = EditableShape<Jar>.members(
    Jar.init, StoredMember("id", id: \.id), StoredMember("size", \.size, .atLeast(1)),
    StoredMember("label", \.label, default: ""))
}

private struct Shelf: StateModel {
  var jars: Identified<Jar> = []

  static let shape = EditableShape<Shelf>.members(Shelf.init, StoredMember("jars", \.jars))

  mutating func settle(from base: Shelf) throws {
    if jars.reduce(0, { $0 + $1.size }) > 8 { throw InvalidState("the shelf is full", at: "/jars") }
  }
}

/// Runs a service. The closure receives a function that sends a request with curl, and returns the status and the body,
/// or the kind and the pointer of a problem.
private func withServer(_ body: ((String, String...) async throws -> String) async throws -> Void) async throws {
  var service = ServiceConfiguration<Shelf>()
  service.basePath = "/shop"
  service.endpoints = [
    Endpoint(.post, "/jars") { request, store in
      let jar = try request.value(of: Jar.self)
      try await store.edit(Shelf.places.jars) { try $0.append(jar) }
      return .json(jar, status: 201)
    },
    Endpoint(.get, "/jars/{id}") { request, store in
      try .json(store.read(Shelf.places.jars[id: Int(request.parameters["id"] ?? "") ?? 0]))
    },
    Endpoint(.get, "/sold-out") { _ in throw SoldOut() },
    Endpoint(.put, "/jars/{id}/size/{size}") { request, store in
      let place = Shelf.places.jars[id: Int(request.parameters["id"] ?? "") ?? 0].size
      let size = Int(request.parameters["size"] ?? "") ?? 0
      return try await .json(store.edit(place, ifMatch: request.field("If-Match")) { $0 = size }.revision)
    },
  ]
  let server = try Service(initial: Shelf(), listeningOn: ["127.0.0.1:0"], configuration: service)
  async let end: Void = server.run(handlesSignals: false)
  // The service also stops if the body throws.
  defer { server.stop() }
  let curl = Curl(address: server.addresses[0])
  try await body { path, options in
    let answer = try await curl("/shop" + path, options + ["-w", "%{http_code}"])
    let (content, status) = (answer.dropLast(3).trimmingCharacters(in: .newlines), answer.suffix(3))
    let json = try JSONSerialization.jsonObject(with: Data(content.utf8), options: .fragmentsAllowed)
    guard let problem = json as? [String: Any], let type = problem["type"] as? String else {
      return "\(status) \(content)"
    }
    #expect(problem["status"] as? Int == Int(status))
    if type == "about:blank" { return "\(status) \(problem["title"] ?? ""): \(problem["detail"] ?? "")" }
    #expect(type.hasPrefix("/shop/problems/"))
    return "\(status) \(type.split(separator: "/").last ?? "") \(problem["pointer"] as? String ?? "")"
  }
  server.stop()
  try await end
}
