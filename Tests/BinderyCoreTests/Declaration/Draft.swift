import BinderyCore
import BinderyJSON

/// A value with the edits of the HTTP methods, but without a store.
struct Draft<Root: Editable> {
  var root: Root

  init(_ root: Root) { self.root = root }

  /// Decodes a value from JSON.
  ///
  /// - Throws: A syntax error, or `ValidationError`.
  init(json: String, _ strictness: Decoding.Strictness = .complete) throws {
    let document = try JSONDocument(parsing: Array(json.utf8))
    var decoding = Decoding(strictness)
    root = try Root.shape.decode(document.root, &decoding)
  }

  var json: String {
    var writer = JSONWriter()
    Root.shape.encode(root, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  func route(_ path: String, _ form: AddressForm = .url) -> Route? {
    Pointer.segments(of: path).flatMap { Route.root(Root.shape.type).resolving($0, form: form) }
  }

  @discardableResult
  mutating func patch(_ path: String, _ json: String) throws -> Edit { try write(path, json) { .merge($0) } }

  @discardableResult
  mutating func put(_ path: String, _ json: String) throws -> Edit {
    try write(path, json, requiredSteps: 0) { .replace($0) }
  }

  @discardableResult
  mutating func post(_ path: String, _ json: String) throws -> Edit { try write(path, json) { .append($0) } }

  @discardableResult
  mutating func add(_ path: String, _ json: String) throws -> Edit {
    try write(path, json, .pointer, requiredSteps: (route(path, .pointer)?.steps.count ?? 1) - 1) { .insert($0) }
  }

  @discardableResult
  mutating func delete(_ path: String) throws -> Edit { try write(path, "null") { _ in .remove } }

  private mutating func write(
    _ path: String, _ json: String, _ form: AddressForm = .url, requiredSteps: Int? = nil,
    _ operation: (JSONNode) -> Edit.Operation
  ) throws -> Edit {
    guard let route = route(path, form) else { throw UnknownPathError() }
    let document = try JSONDocument(parsing: Array(json.utf8))
    var edit = Edit(operation(document.root), requiredSteps: requiredSteps, along: route)
    var draft = root
    try Root.shape.apply(&draft, route, 0, &edit)
    root = draft
    return edit
  }
}

struct UnknownPathError: Error {}

extension EditError {
  var invalid: ValidationError? { if case .invalid(let invalid) = self { invalid } else { nil } }
}
