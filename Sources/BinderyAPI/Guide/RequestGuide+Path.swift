import BinderyCore
import BinderyHTTP
import BinderyJSON

/// Hints about paths.
extension RequestGuide {
  func adviseOnPath(_ problem: inout Problem) {
    let parts = request.path.split(separator: UInt8(ascii: "/"))
    let path = Array(parts.map { [UInt8(ascii: "/")] + $0 }.joined())
    guard let target = try? RequestTarget(path: path[...]) else { return }
    let sent = target.segments
    if exists(sent) {
      // The path has a doubled or trailing slash, or it lacks the base path, which a command has. If the last segment
      // is an id or key that the client has left out, writing to what contains it would lose data.
      let isWrite = ![.get, .head, .options].contains(request.method)
      if !isWrite || request.path.last != UInt8(ascii: "/") { problem.curl = command(at: sent) }
      return
    }
    guard path.count == request.path.count, let first = sent.first else { return }
    if first == StateResource<Root>.prefix { return explainStatePath(sent, &problem) }
    let prefix = StateResource<Root>.prefix
    let corrections = [[prefix] + sent.dropFirst(), [prefix] + sent]
    if let found = corrections.first(where: { $0.count > 1 && exists($0) }) {
      problem.detail = "Paths of the state begin with \(state.prefixInMessages)."
      suggest(found, &problem)
    } else if !api.paths.contains("/" + first),
      let path = Spelling.closest(to: Pointer.text(sent), among: api.paths + ["/" + prefix])
    {
      suggest(Pointer.segments(of: path) ?? [], &problem)
    } else if let guess = pathGuide.explain(sent), let corrected = guess.corrected, !guess.isExample {
      problem.detail = "Paths of the state begin with \(state.prefixInMessages). \(guess.detail)"
      problem.curl = command(at: [prefix] + corrected)
    }
  }

  private var pathGuide: PathGuide {
    PathGuide(base: state.root, form: .url, prefix: state.prefixInMessages) { route, index in
      state.elementID(route, index, in: snapshot)
    }
  }

  /// Returns whether a path of the state or of a document exists.
  private func exists(_ segments: [String]) -> Bool {
    if segments.first == StateResource<Root>.prefix {
      return state.root.resolving(Array(segments.dropFirst()), form: .url) != nil
    }
    return api.paths.contains(Pointer.text(segments))
  }

  /// Returns a path in messages.
  private func shown(_ segments: [String]) -> String { state.basePath.text + Pointer.text(segments) }

  private func suggest(_ segments: [String], _ problem: inout Problem) {
    problem.detail += " Did you mean \(shown(segments))?"
    problem.curl = command(at: segments)
  }

  private func explainStatePath(_ segments: [String], _ problem: inout Problem) {
    guard let explanation = pathGuide.explain(Array(segments.dropFirst())) else { return }
    problem.detail = explanation.detail
    problem.expected = explanation.expected
    guard let corrected = explanation.corrected else { return }
    if explanation.isExample, request.method != .get { return }
    problem.curl = command(at: [StateResource<Root>.prefix] + corrected) { command in
      if let method = explanation.method { command.method = method }
      if let value = explanation.value, command.method != .get {
        (command.method, command.body) = (.patch, value)
      }
    }
  }

  // MARK: - Absence

  func adviseOnAbsence(_ problem: inout Problem) {
    guard let route, let depth = problem.existingSteps else { return }
    let place = self.place(atStep: depth)
    let path = shown(place.segments)
    switch problem.kind {
    case .inactiveCase:
      if case .sum(let cases) = place.route.target.unwrapped.kind { problem.cases = cases.map(\.name) }
      if request.method == .patch, !request.isJSONPatch { problem.curl = command { $0.method = .put } }
    case .nilOptional where depth > route.steps.count:
      problem.detail =
        "The body has a part of an optional that is null and cannot be set. Send that part to its own path to learn "
        + "what to write first."
    case .nilOptional:
      let isTarget = depth >= route.steps.count
      problem.detail = "\(path) is null, \(isTarget ? "and it cannot be set" : "so there is nothing below it"). "
      problem.detail +=
        place.route.isWritable && !place.route.target.isFixed
        ? "PUT a value to it first."
        : "It is computed from \(sources(place.route)): write there first."
      if request.method == .patch, !request.isJSONPatch { problem.curl = command { $0.method = .put } }
    case .noSuchElement:
      problem.detail += " GET \(path) to see its elements."
      let put = request.method == .patch && !request.isJSONPatch ? command { $0.method = .put } : nil
      problem.curl = put ?? command(at: place.segments) { ($0.method, $0.fields) = (.get, []) }
    default:
      problem.detail =
        if !isPresent(place.route) {
          "\(path) does not exist, and this request cannot create it. PUT a complete value to it first."
        } else if isNil(place.route), !place.route.target.isFixed {
          "\(path) is null, and a part of its value cannot create it. PUT a complete value to it first."
        } else {
          "Nothing can be added to \(path): it is computed from \(sources(place.route))."
        }
    }
  }

  /// Returns whether a route leads to an optional that is nil.
  private func isNil(_ route: Route) -> Bool {
    guard case .optional = route.target.kind else { return false }
    return current(route) == "null"
  }

  /// Returns the innermost place on the path that at most a number of steps lead to.
  private func place(atStep depth: Int) -> (route: Route, segments: [String]) {
    var found = (route: state.root, segments: Array(segments.prefix(1)))
    for count in 1...max(1, segments.count) {
      let prefix = Array(segments.prefix(count))
      guard let route = state.root.resolving(Array(prefix.dropFirst()), form: .url), route.steps.count <= depth else {
        break
      }
      found = (route, prefix)
    }
    return found
  }

  /// Returns the names of the members that a computed member depends on.
  private func sources(_ route: Route) -> String {
    guard case .member(let index)? = route.steps.last,
      case .product(let product)? = state.model.shape.type.following(route.steps.dropLast())?.unwrapped.kind
    else { return "other members" }
    let names = product.sources(of: index)?.map { product.members[$0] }.filter { $0.role != .hidden }.map(\.name) ?? []
    return names.isEmpty ? "other members" : Spelling.list(names)
  }

  // MARK: - Methods

  func adviseOnMethod(_ problem: inout Problem) {
    guard let route else { return }
    let path = shown(segments)
    switch request.method {
    case .post where route.target.isOptionalCollection:
      problem.detail += " POST adds an element to a collection that is never null. To add one here, PUT it at its id."
    case .post where route.isWritable:
      problem.detail += " POST adds an element to a collection with ids. To change \(path), send PATCH."
      problem.curl = repairedCommand([.patch])
    case .delete where route.isWritable:
      problem.detail += " Only optionals, elements and entries can be deleted. To set another value, send PATCH."
    case .patch, .put, .post, .delete:
      problem.detail += " " + whyReadOnly(route)
    default: break
    }
  }

  /// Returns which member makes a path read-only.
  private func whyReadOnly(_ route: Route) -> String {
    for (index, step) in route.steps.enumerated() {
      guard case .member(let number) = step,
        case .product(let product)? = state.model.shape.type.following(route.steps.prefix(index))?.unwrapped.kind
      else { continue }
      let member = product.members[number]
      if member.isWritable { continue }
      switch member.role {
      case .identity: return "“\(member.name)” is the id of an element and cannot be changed."
      case .computedReadOnly:
        let end = Route(
          steps: Array(route.steps.prefix(index + 1)), target: member.type, isWritable: false, isRemovable: false)
        return "“\(member.name)” is computed from \(sources(end)) and has no setter."
      default: return "“\(member.name)” is read-only."
      }
    }
    return ""
  }
}

extension StateResource {
  /// Returns the id of the element at a position of a sequence; nil if there is none.
  func elementID(_ sequence: Route, _ position: Int, in snapshot: Snapshot<Root>) -> String? {
    guard case .elements(let element, let keys) = sequence.target.unwrapped.kind,
      case .product(let product) = element.kind,
      let identity = product.identity
    else { return nil }
    let unwrapping = if case .optional = sequence.target.kind { [Step.wrapped] } else { [Step]() }
    let route = Route(
      steps: sequence.steps + unwrapping + [.index(position), .member(identity)],
      target: product.members[identity].type, isWritable: false, isRemovable: false)
    var reading = ReadOperation(.json, key: key)
    guard (try? model.shape.visit(snapshot.root, route, 0, &reading)) != nil,
      let id = try? JSONDocument(parsing: reading.writer.bytes).root
    else { return nil }
    return keys.textOfJSON(id)
  }
}
