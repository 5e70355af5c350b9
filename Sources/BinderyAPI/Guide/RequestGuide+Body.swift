import BinderyCore
import BinderyHTTP
import BinderyJSON

/// Hints about bodies and header fields.
extension RequestGuide {
  func adviseOnJSON(_ problem: inout Problem) {
    if request.isEmpty || request.body?.trimmed.isEmpty ?? false {
      problem.detail = "The body is empty. Send a JSON value, with curl: -d 'JSON'."
      // The current value, sent back, changes nothing: it shows the form of a value.
      guard let route, request.method != .post, !request.isJSONPatch, let current = current(route) else { return }
      problem.expected = "a JSON value such as the current one"
      problem.curl = command { $0.body = current }
      return
    }
    guard let body = request.body else { return }
    let candidates = JSONRepair.candidates(for: body)
    let repairs = candidates.flatMap { [$0] + valueRepairs($0, at: []) }
    problem.curl = repairedCommand(request.method == .patch ? [.patch, .put] : [request.method], repairs)
    if !candidates.isEmpty, problem.curl != nil || !takesNumberOrBoolean { problem.detail += " " + Self.quoting }
  }

  /// Whether the value in quotes would lead to the next error.
  private var takesNumberOrBoolean: Bool {
    guard case .scalar(let scalar)? = route?.target.unwrapped.kind else { return false }
    return ["integer", "number", "boolean"].contains(scalar.type)
  }

  private static var quoting: String {
    "In JSON, strings and names are in double quotes. In a shell, put the complete value in single quotes: -d '\"x\"'."
  }

  func adviseOnValue(_ problem: inout Problem) {
    guard let route, let body = request.body, let document = try? JSONDocument(parsing: Array(body.utf8)) else {
      return
    }
    let node = document.root
    let isPatch = node.kind == .array && node.elements.contains { $0["op"] != nil && $0["path"] != nil }
    if isPatch, request.method == .patch {
      problem.detail += " The body looks like a JSON Patch: send it as application/json-patch+json."
      problem.curl = command(isJSONPatch: true)
    } else if node.kind == .object, request.method == .patch, route.canAppend, let curl = command({ $0.method = .post })
    {
      problem.detail += " To add an element, send POST."
      problem.curl = curl
    } else if problem.kind == .missingMember, request.method == .put, let curl = command({ $0.method = .patch }) {
      problem.detail += " To change only the members that you send, use PATCH."
      problem.curl = curl
    } else if let pointer = problem.pointer.flatMap(RequestTarget.segments) {
      problem.curl = repairedCommand([request.method], valueRepairs(body, at: pointer))
    }
  }

  /// Returns the bodies that a client may mean with one that has a mistake at a pointer.
  private func valueRepairs(_ body: String, at pointer: [String]) -> [String] {
    guard let route, let document = try? JSONDocument(parsing: Array(body.utf8)) else { return [] }
    // A new element has the type that the position after the last one has.
    let position = request.method == .post ? ["-"] : []
    return ValueRepair(body: JSONTree(document.root), pointer: pointer) { pointer in
      route.resolving(position + pointer, form: .pointer)?.target
    }.candidates
  }

  func adviseOnTags(_ problem: inout Problem) {
    guard let index = request.fields.firstIndex(where: { $0.name == .ifMatch || $0.name == .ifNoneMatch }) else {
      return
    }
    // Proxies that compress responses add the prefix of weak tags.
    let sent = request.fields[index].value
    let value = sent.utf8.starts(with: "W/".utf8) ? sent.dropFirst(2) : sent[...]
    let isTag = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\",\\".utf8.contains($0) }
    guard isTag else { return }
    problem.curl = command { $0.fields[index].value = "\"\(value)\"" }
  }
}
