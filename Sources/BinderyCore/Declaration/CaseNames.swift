public import BinderyJSON

/// The cases by which the JSON of an enum is read.
///
/// It is not generic, so that reading a case looks up no type metadata.
@usableFromInline
struct CaseNames: Sendable {
  private let cases: [CaseInfo]
  /// The names of all cases, by their index in the shape.
  private let all: NameList
  /// The names of the cases with a payload.
  private let withPayload: NameList

  @usableFromInline
  init(_ cases: [CaseInfo]) {
    self.cases = cases
    all = NameList(cases.map(\.name))
    withPayload = NameList(cases.map { $0.payload == nil ? nil : $0.name })
  }

  /// Parses the JSON of an edit like ``parse(_:)``, and throws its error as that of the edit.
  @usableFromInline
  func parse(of node: JSONNode) throws(EditError) -> (case: Int, payload: Int?) {
    do throws(ValidationError) { return try parse(node) } catch { throw .invalid(error) }
  }

  /// Returns the index of the case that JSON names, and that of its payload in the document.
  ///
  /// A case without payload is a string, `"name"`; a case with a payload is an object, `{"name": …}`.
  @usableFromInline
  func parse(_ node: JSONNode) throws(ValidationError) -> (case: Int, payload: Int?) {
    if let (index, payload) = node.onlyMember(named: withPayload) { return (index, payload) }
    if node.kind == .string, let index = all.position(of: node) {
      if let payload = cases[index].payload {
        let name = cases[index].name
        throw ValidationError(
          .value, "the case “\(name)” needs a payload", expected: "{\"\(name)\": \(payload.examples.first ?? "…")}")
      }
      return (index, nil)
    }
    guard node.kind == .object else { throw .wrongType(node, expected: expected) }
    var found: Int?
    for (key, _) in node.members {
      guard let index = withPayload.position(of: key) else {
        let name = key.string ?? ""
        throw ValidationError(.unknownMember, "there is no case “\(name)” with a payload", expected: expected, at: name)
      }
      guard found == nil else {
        throw ValidationError(
          found == index ? .duplicateMember : .value, "the object names several cases; send one",
          expected: expected, at: cases[index].name)
      }
      found = index
    }
    throw .wrongType(node, expected: expected)
  }

  private var expected: String {
    "one of "
      + cases.map { $0.payload == nil ? "\"\($0.name)\"" : "{\"\($0.name)\": …}" }
      .joined(separator: ", ")
  }
}
