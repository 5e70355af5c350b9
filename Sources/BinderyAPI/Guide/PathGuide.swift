import BinderyCore
import BinderyHTTP

/// Explains paths that the types of the state do not define.
struct PathGuide {
  /// The mistake in a path, and the path that the client probably meant.
  struct Explanation {
    let detail: String
    var expected: String?
    /// The path that the client probably meant, as segments.
    var corrected: [String]?
    /// The JSON that a write to the corrected path should send instead of its body.
    var value: String?
    /// The method that the client probably meant.
    var method: Method?
    /// Whether the corrected path is an example of several. A command with it may only read.
    var isExample = false
  }

  /// The path that the segments are relative to.
  let base: Route
  /// The form of the address: in a pointer of a JSON Patch, positions name elements.
  let form: AddressForm
  /// The path of ``base`` in messages; empty for a path inside a JSON Patch.
  var prefix = ""
  /// Returns the id of the element at a position of a collection, or nil if there is none.
  var elementID: (Route, Int) -> String? = { _, _ in nil }

  /// Explains a path that ``base`` cannot resolve; nil if it can.
  func explain(_ segments: [String]) -> Explanation? {
    guard var explanation = mistake(in: segments) else { return nil }
    // A path may have several mistakes, such as a wrong case in each segment.
    for _ in 0..<4 {
      guard let corrected = explanation.corrected, let next = mistake(in: corrected) else { return explanation }
      explanation.corrected = next.corrected
      explanation.value = next.value ?? explanation.value
      explanation.method = next.method ?? explanation.method
      explanation.isExample = explanation.isExample || next.isExample
    }
    explanation.corrected = nil
    return explanation
  }

  /// Explains the first segment that names nothing.
  private func mistake(in segments: [String]) -> Explanation? {
    var resolved = base.resolving(segments, form: form)
    if resolved != nil { return nil }
    // Each beginning is resolved, which would take too long for the pointers in a body.
    guard segments.count <= RequestTarget.maximumSegments else {
      return Explanation(detail: "Expected at most \(RequestTarget.maximumSegments) segments.")
    }
    var count = segments.count
    while resolved == nil, count > 0 {
      count -= 1
      resolved = base.resolving(Array(segments[..<count]), form: form)
    }
    guard let route = resolved else { return nil }
    let place = UnknownSegment(
      route: route, segments: Array(segments[..<count]), name: segments[count], rest: Array(segments[(count + 1)...]))
    return explanation(of: place)
  }

  /// A place that exists, and the name below it that does not.
  private struct UnknownSegment {
    let route: Route
    let segments: [String]
    let name: String
    let rest: [String]
  }

  private func text(_ segments: [String]) -> String {
    let text = prefix + Pointer.text(segments)
    return text.isEmpty ? "the patched value" : text
  }

  private func explanation(of place: UnknownSegment) -> Explanation {
    let path = text(place.segments)
    let type = place.route.target
    if case .optional(let wrapped) = type.kind, case .optional = wrapped.kind {
      return Explanation(
        detail: "\(path) is an optional of an optional: “some” names the inner one.", expected: "\(path)/some",
        corrected: place.segments + ["some", place.name] + place.rest)
    }
    if place.name == "some" {
      return Explanation(
        detail: "\(path) is not an optional of an optional: leave out “some”.",
        corrected: place.segments + place.rest)
    }
    if let method = Self.verbs[place.name.lowercased()], place.rest.isEmpty,
      AllowedMethods(place.route).contains(method)
    {
      return Explanation(
        detail: """
          “\(place.name)” is not a part of \(path). The HTTP method determines the action: send \
          \(method.name) to \(path).
          """,
        corrected: place.segments, method: method)
    }
    switch type.unwrapped.kind {
    case .product(let product):
      let names = product.members.filter { $0.role != .hidden }.map(\.name)
      return explanation(
        of: place, "“\(place.name)” is not a member of \(path).", expected: "one of \(Spelling.list(names))", names)
    case .sum(let cases): return explanation(of: place, cases)
    case .elements(_, let key): return explanation(of: place, key)
    case .dictionary(_, let key):
      return Explanation(detail: "“\(place.name)” is not a key of \(path).", expected: key.expectation)
    case .set:
      return Explanation(
        detail: """
          The elements of \(path) have no ids, so they have no paths. A set is read and written as a whole, also by a \
          JSON Patch.
          """)
    case .array where form == .pointer:
      return Explanation(
        detail: "“\(place.name)” is not a position in \(path).",
        expected: "a position; “add” also accepts “-”, the end")
    case .array:
      return Explanation(
        detail: """
          The elements of \(path) have no ids, so they have no paths. GET or PATCH \(path) as a whole, or send a JSON \
          Patch, in which a position names an element.
          """)
    case .scalar, .optional:
      return Explanation(
        detail: "\(path) is a value of type \(type.name) and has no parts, so there is no “\(place.name)” below it.")
    }
  }

  /// Explains a name that is not one of those that a place has.
  private func explanation(
    of place: UnknownSegment, _ mistake: String, expected: String, _ names: [String]
  ) -> Explanation {
    let closest = Spelling.closest(to: place.name, among: names)
    return Explanation(
      detail: mistake + (closest.map { " Did you mean “\($0)”?" } ?? ""), expected: expected,
      corrected: closest.map { place.segments + [$0] + place.rest })
  }

  private func explanation(of place: UnknownSegment, _ cases: [CaseInfo]) -> Explanation {
    let path = text(place.segments)
    if cases.contains(where: { $0.name.isSame(as: place.name) }) {
      return Explanation(
        detail: "The case “\(place.name)” of \(path) has no payload, so it has no path. PATCH \(path) to switch to it.",
        corrected: place.segments, value: JSONRepair.string(place.name))
    }
    let names = cases.filter { $0.payload != nil }.map(\.name)
    return explanation(
      of: place, "“\(place.name)” is not a case of \(path) with a payload.",
      expected: names.isEmpty ? "\(path) itself: none of its cases has a payload" : "one of \(Spelling.list(names))",
      names)
  }

  private func explanation(of place: UnknownSegment, _ key: KeyInfo) -> Explanation {
    let path = text(place.segments)
    let position = Int(arrayIndex: place.name.utf8Span.span)
    let id = elementID(place.route, position ?? 0)
    let example = id.map { ", such as \(text(place.segments + [$0]))" } ?? ""
    var explanation = Explanation(
      detail: "Elements of \(path) are addressed by id\(position == nil ? "" : ", not by position")\(example).",
      expected: "an id of type \(key.typeName)")
    guard let id else { return explanation }
    explanation.isExample = position == nil
    let isMember = base.resolving(place.segments + [id, place.name], form: form) != nil
    explanation.corrected = place.segments + [id] + (isMember ? [place.name] : []) + place.rest
    return explanation
  }

  /// Words that say what a request should do.
  private static let verbs: [String: Method] = [
    "get": .get, "read": .get, "list": .get, "show": .get, "all": .get, "add": .post, "append": .post, "create": .post,
    "insert": .post, "new": .post, "set": .patch, "update": .patch, "edit": .patch, "change": .patch, "write": .patch,
    "put": .put, "replace": .put, "delete": .delete, "remove": .delete,
  ]
}
