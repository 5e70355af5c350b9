import BinderyCore
import BinderyDigest
import BinderyJSON

/// What becomes of one request while it is carried out on a private copy of the state, all or nothing.
///
/// The copy is handed to each step by who made it: were it kept here, the runtime would look up this type each time.
struct WriteTransaction {
  let key: DigestKey
  /// A journal wants to know what was there before.
  private let isKept: Bool
  private(set) var outcome: WriteOutcome = .kept
  private var echoes: [(echo: ReadOnlyEcho, operation: Int?)] = []
  /// What the operations of a JSON Patch have copied so far.
  var copiedBytes = 0
  /// Whether the one stored place that was written has another value.
  private var isChange: Bool?
  private var scalar: NotedScalar?

  init(key: DigestKey, isKept: Bool = false) {
    self.key = key
    self.isKept = isKept
  }

  /// Carries out one write, and looks whether the place kept it.
  mutating func apply<Root: Model>(
    _ edit: inout Edit, to root: inout Root, along route: Route, operation: Int? = nil
  ) throws(EditError) {
    if route.isComputed {
      edit.wanted = .intention(key)
    } else if operation == nil, route.isPlain {
      edit.wanted = .change(key, withBefore: isKept)
    }
    try Root.shape.apply(&root, route, 0, &edit)
    for echo in edit.echoes { echoes.append((echo, operation)) }
    outcome = max(outcome, edit.outcome)
    isChange = edit.isChange
    scalar = edit.takeScalar()
    if let intended = edit.intended {
      let now = Self.digest(in: root, along: route, key)
      if now != intended { outcome = max(outcome, now == edit.untouched ? .dropped : .adjusted) }
    }
  }

  /// The digest of a place; nil where it is absent.
  private static func digest<Root: Model>(in root: Root, along route: Route, _ key: DigestKey) -> Digest? {
    var reading = ReadOperation(.digest, key: key)
    do { try Root.shape.visit(root, route, 0, &reading) } catch { return nil }
    return reading.digest
  }

  func read<Root: Model>(_ purpose: ReadOperation.Purpose, in root: Root, along route: Route) throws(Absence)
    -> ReadOperation
  {
    var reading = ReadOperation(purpose, key: key)
    try Root.shape.visit(root, route, 0, &reading)
    return reading
  }

  /// Gives away the scalar that stands at the one place that was written, if it stood when everything had settled.
  mutating func takeScalar() -> NotedScalar? {
    defer { scalar = nil }
    return scalar
  }

  /// Lets the model settle, and compares what was said of read-only members with the result.
  ///
  /// - Parameter base: what the copy was made from.
  /// - Returns: whether anything is different from before.
  mutating func settle<Root: Model>(_ root: inout Root, from base: Snapshot<Root>) throws(Problem) -> Bool {
    let isAsDrafted: Bool
    do throws(InvalidState) { isAsDrafted = try root.settleDraft(from: base.root) } catch {
      throw Problem(.invalidState, error.message).with { $0.pointer = error.pointer }
    }
    for (echo, operation) in echoes {
      let route = Route(steps: echo.steps, target: Root.shape.type, isWritable: true, isRemovable: false)
      let holds = (try? read(.equality(echo.node), in: root, along: route).isEqual) ?? false
      guard holds else {
        let prefix = operation.map { [String($0), "value"] } ?? []
        throw Problem(.readOnlyMember, "“\(echo.names.last ?? "")” is read-only and has another value.").with {
          $0.pointer = Pointer.text(prefix + echo.names)
          $0.operation = operation
        }
      }
    }
    // Where the model has left the draft as it was, all that can be different is what was written.
    if isAsDrafted, let isChange { return isChange }
    scalar = nil
    return !Root.shape.areSame(base.root, root)
  }
}
