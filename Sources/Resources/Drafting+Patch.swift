import Bindings
import HTTP
import JSON
import Shapes

extension Drafting {
  /// Carries out a JSON Patch (RFC 6902); its pointers are relative to the route.
  mutating func apply<Root: Model>(
    _ patch: PatchDocument, to root: inout Root, along base: Route
  ) throws(Problem) {
    for (index, operation) in patch.operations.enumerated() {
      do throws(Problem) {
        try apply(operation, index, to: &root, along: base)
      } catch {
        throw error.with { problem in
          problem.operation = index
          // Within a patch a missing place is a conflict, whatever is missing.
          if problem.status == .notFound { problem.status = .conflict }
        }
      }
    }
  }

  private mutating func apply<Root: Model>(
    _ operation: PatchDocument.Operation, _ index: Int, to root: inout Root, along base: Route
  ) throws(Problem) {
    let route = try resolve(operation.path, along: base, "path", index)
    switch operation.verb {
    case .add(let value): try write(Edit(.insert(value), mayCreate: true, along: route), &root, route, index)
    case .replace(let value): try write(Edit(.replace(value), along: route), &root, route, index)
    case .remove: try remove(route, of: &root, index, "path")
    case .test(let value): try test(value, root, route, index)
    case .copy(let from):
      let source = try resolve(from, along: base, "from", index)
      let copy = try copy(source, of: root, index)
      try write(Edit(.insert(copy.root), mayCreate: true, along: route), &root, route, index, isCopy: true)
    case .move(let from):
      let source = try resolve(from, along: base, "from", index)
      let copy = try copy(source, of: root, index)
      if from.count == operation.path.count, zip(from, operation.path).allSatisfy({ $0.isSame(as: $1) }) { return }
      try remove(source, of: &root, index, "from")
      try write(Edit(.insert(copy.root), mayCreate: true, along: route), &root, route, index, isCopy: true)
    }
  }

  private func resolve(
    _ segments: [String], along base: Route, _ member: String, _ index: Int
  ) throws(Problem) -> Route {
    guard let route = base.resolving(segments, form: .pointer) else {
      throw Problem(.unknownPath, "The types have no place “\(Pointer.text(segments))”.")
        .with { $0.pointer = "/\(index)/\(member)" }
    }
    return route
  }

  private mutating func write<Root: Model>(
    _ edit: consuming Edit, _ root: inout Root, _ route: Route, _ index: Int, isCopy: Bool = false
  ) throws(Problem) {
    guard route.isWritable else { throw readOnly(index, "path") }
    do throws(Refusal) {
      try apply(&edit, to: &root, along: route, operation: index)
    } catch {
      throw Problem(error).with { problem in
        // What was copied was not sent: all that can be pointed at is where it came from.
        let inside = problem.pointer.map { isCopy ? "from" : "value" + $0 }
        problem.pointer = "/\(index)/" + (inside ?? "path")
      }
    }
  }

  private mutating func remove<Root: Model>(
    _ route: Route, of root: inout Root, _ index: Int, _ member: String
  ) throws(Problem) {
    guard route.isWritable else { throw readOnly(index, member) }
    guard route.canDelete else {
      throw Problem(.notRemovable, "Only optionals and elements can be removed.")
        .with { $0.pointer = "/\(index)/\(member)" }
    }
    do throws(Refusal) {
      var edit = Edit(.remove, along: route)
      try apply(&edit, to: &root, along: route, operation: index)
      guard !edit.wasAbsent else {
        throw .absent(Absence(route.isRemovable ? .noSuchElement("") : .nilOptional, depth: route.steps.count))
      }
    } catch {
      throw Problem(error).with { $0.pointer = "/\(index)/\(member)" }
    }
  }

  private func readOnly(_ index: Int, _ member: String) -> Problem {
    Problem(.readOnlyMember, "The place is read-only.").with { $0.pointer = "/\(index)/\(member)" }
  }

  private func test<Root: Model>(_ value: JSONNode, _ root: Root, _ route: Route, _ index: Int) throws(Problem) {
    guard let reading = try? read(.equality(value), in: root, along: route), reading.isEqual else {
      throw Problem(.testFailed, "The value there is another one, or there is none.").with { problem in
        problem.pointer = "/\(index)/value"
        problem.current = (try? read(.json, in: root, along: route))?.writer.bytes
      }
    }
  }

  private func copy<Root: Model>(_ source: Route, of root: Root, _ index: Int) throws(Problem) -> JSONDocument {
    do throws(Absence) {
      let bytes = try read(.json, in: root, along: source).writer.bytes
      // The reader takes what the writer wrote, but for a state deeper than any text may be.
      guard let document = try? JSONDocument(parsing: bytes) else {
        throw Absence(.nilOptional, depth: source.steps.count)
      }
      return document
    } catch {
      throw Problem(.absent(error)).with { $0.pointer = "/\(index)/from" }
    }
  }
}
