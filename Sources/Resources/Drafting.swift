import Bindings
import Digests
import JSON
import Shapes
import State

/// A private copy of the state on which one request is carried out, all or nothing.
struct Drafting<Root: Model> {
  let base: Snapshot<Root>
  private(set) var root: Root
  let key: DigestKey
  private(set) var outcome: WriteOutcome = .kept
  private var echoes: [(echo: Echo, operation: Int?)] = []

  init(_ base: Snapshot<Root>, key: DigestKey) {
    self.base = base
    self.root = base.root
    self.key = key
  }

  /// Carries out one write, and looks whether the place kept it.
  mutating func apply(_ edit: consuming Edit, along route: Route, operation: Int? = nil) throws(Refusal) -> Edit {
    edit.readBack = route.isComputed ? key : nil
    try Root.shape.apply(&root, route, 0, &edit)
    for echo in edit.echoes { echoes.append((echo, operation)) }
    outcome = max(outcome, edit.outcome)
    if let intended = edit.intended {
      let now = digest(along: route)
      if now != intended { outcome = max(outcome, now == edit.untouched ? .dropped : .adjusted) }
    }
    return edit
  }

  /// The digest of a place in the draft; nil where it is absent.
  func digest(along route: Route) -> Digest? {
    var reading = Reading(.digest, key: key)
    do { try Root.shape.visit(root, route, 0, &reading) } catch { return nil }
    return reading.digest
  }

  func read(_ purpose: Reading.Purpose, along route: Route) throws(Absence) -> Reading {
    var reading = Reading(purpose, key: key)
    try Root.shape.visit(root, route, 0, &reading)
    return reading
  }

  /// Lets the model settle, and compares what was said of read-only members with the result.
  ///
  /// - Returns: whether anything is different from before.
  mutating func settle() throws(Problem) -> Bool {
    do { try root.settle(from: base.root) } catch {
      throw Problem(.invalidState, error.message).with { $0.pointer = error.pointer }
    }
    for (echo, operation) in echoes {
      let route = Route(steps: echo.steps, target: Root.shape.type, isWritable: true, isRemovable: false)
      let holds = (try? read(.equality(echo.node), along: route).isEqual) ?? false
      guard holds else {
        let prefix = operation.map { [String($0), "value"] } ?? []
        throw Problem(.readOnlyMember, "“\(echo.names.last ?? "")” is read-only and has another value.").with {
          $0.pointer = Pointer.text(prefix + echo.names)
          $0.operation = operation
        }
      }
    }
    return !Root.shape.areSame(base.root, root)
  }
}
