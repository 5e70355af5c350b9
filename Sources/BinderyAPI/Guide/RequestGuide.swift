import BinderyCore
import BinderyHTTP
import BinderyJSON

/// Adds to a problem what the client should do next: which names exist, and the corrected request as a curl command.
///
/// All hints are made here, from the types of the path, the current state and the request. A write is suggested only if
/// it succeeds on a copy of the state.
struct RequestGuide<Root: Sendable> {
  let api: StateAPI<Root>
  let snapshot: Snapshot<Root>
  let request: SentRequest

  var state: StateResource<Root> { api.state }

  /// Returns a problem with hints.
  func advise(_ problem: Problem) -> Problem {
    var problem = problem
    // The pointer of an operation is relative to the path of the request, which exists.
    guard problem.operation == nil else { return problem }
    switch problem.kind {
    case .unknownPath where problem.pointer == nil: adviseOnPath(&problem)
    case .methodNotAllowed: adviseOnMethod(&problem)
    case .unsupportedMediaType: problem.curl = repairedCommand([request.method])
    case .malformedHeader: adviseOnTags(&problem)
    case .malformedJSON: adviseOnJSON(&problem)
    case .inactiveCase, .nilOptional, .noSuchElement, .cannotCreate: adviseOnAbsence(&problem)
    case .invalidValue, .unknownMember, .missingMember: adviseOnValue(&problem)
    default: break
    }
    return problem
  }

  // MARK: - Commands

  /// The route of the request; nil if its path is not one of the state.
  var route: Route? { target.flatMap { route($0.segments) } }

  private var target: RequestTarget? { try? RequestTarget(path: request.path[...]) }

  /// The segments of the path, with the prefix of the state.
  var segments: [String] { target?.segments ?? [] }

  private func route(_ segments: [String]) -> Route? {
    guard segments.first == StateResource<Root>.prefix else { return nil }
    return state.root.resolving(Array(segments.dropFirst()), form: .url)
  }

  /// Returns the request with some changes as a command; nil if it cannot be suggested, or would not succeed.
  ///
  /// - Parameters:
  ///   - segments: The segments of another path.
  ///   - isJSONPatch: Whether the body is a JSON Patch; by default as in the request.
  func command(
    at segments: [String]? = nil, isJSONPatch: Bool? = nil, _ change: (inout CurlCommand) -> Void = { _ in }
  ) -> String? {
    guard let server = request.server else { return nil }
    let segments = segments ?? self.segments
    let isJSONPatch = isJSONPatch ?? request.isJSONPatch
    var command = CurlCommand(server: server, method: request.method, target: RequestTarget.path(segments))
    command.fields = request.fields
    command.body = request.body
    change(&command)
    if [.get, .delete].contains(command.method) {
      command.body = nil
    } else if isJSONPatch {
      command.fields.append((.contentType, "application/json-patch+json"))
    }
    if command.method == request.method, segments == self.segments, isQueryValid(command.method) {
      command.target += request.query
    }
    guard succeeds(command, segments, isJSONPatch) else { return nil }
    return command.text
  }

  /// Returns whether the query of the request is valid for a method.
  private func isQueryValid(_ method: Method) -> Bool {
    guard let route else { return true }
    let query = Array(request.query.utf8.dropFirst())
    return (try? Query(query[...], accepting: Query.parameters(of: method, route))) != nil
  }

  /// Returns whether a request would succeed, as far as can be tried without changing anything.
  private func succeeds(_ command: CurlCommand, _ segments: [String], _ isJSONPatch: Bool) -> Bool {
    guard let route = route(segments) else { return command.method == .get && api.isReadable(Pointer.text(segments)) }
    guard conditionsHold(command, route) else { return false }
    if command.method == .get { return isPresent(route) }
    var json: JSONNode?
    if command.method != .delete {
      guard let body = command.body, let document = try? JSONDocument(parsing: Array(body.utf8)) else { return false }
      json = document.root
    }
    let isStrict = command.fields.contains { $0.name == .prefer && $0.value.contains("handling=strict") }
    return state.accepts(command.method, route, json, isJSONPatch: isJSONPatch, isStrict: isStrict, in: snapshot)
  }

  /// Returns whether the conditions of a request hold for the current value. `If-None-Match` of a read need not hold.
  private func conditionsHold(_ command: CurlCommand, _ route: Route) -> Bool {
    guard let conditions = try? Conditions(command.fields) else { return false }
    if conditions.isEmpty { return true }
    var reading = ReadOperation(.digest, key: state.key)
    try? state.model.shape.visit(snapshot.root, route, 0, &reading)
    let isRead = command.method == .get
    return conditions.ifMatchHolds(reading.digest) && (isRead || conditions.ifNoneMatchHolds(reading.digest))
  }

  /// Returns whether there is a value at a route.
  func isPresent(_ route: Route) -> Bool {
    var reading = ReadOperation(.presence, key: state.key)
    return (try? state.model.shape.visit(snapshot.root, route, 0, &reading)) != nil
  }

  /// Returns the request with one of several methods, and with one of several bodies, as a command that would succeed.
  ///
  /// - Parameter bodies: By default the body of the request, and what it may mean if it is not JSON.
  func repairedCommand(_ methods: [Method], _ bodies: [String]? = nil) -> String? {
    let bodies = bodies ?? request.body.map { [$0] + JSONRepair.candidates(for: $0) } ?? []
    for (body, method) in bodies.flatMap({ body in methods.map { (body, $0) } }).prefix(4) {
      let curl = command {
        $0.method = method
        $0.body = body
      }
      if let curl { return curl }
    }
    return nil
  }

  /// Returns the JSON at a route; nil if there is no value, or if it is long.
  func current(_ route: Route) -> String? {
    var reading = ReadOperation(.json, key: state.key, writer: JSONWriter(stoppingAt: CurlCommand.maximumBytes))
    guard (try? state.model.shape.visit(snapshot.root, route, 0, &reading)) != nil, reading.writeRemainder == nil else {
      return nil
    }
    return String(decoding: reading.writer.bytes, as: UTF8.self)
  }
}
