import BinderyCore
import BinderyHTTP
import BinderyJSON

extension WriteTransaction {
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
      let before = root
      let wasThere = holds(route, root)
      try remove(source, of: &root, index, "from")
      // An element has several names: where it stands, and its id, which may be spelled in two ways.
      if wasThere, route.steps.count == source.steps.count, !holds(route, root) {
        root = before
        return
      }
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
    do throws(EditError) {
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
    do throws(EditError) {
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
        // What is long is not worth a problem, which is written at once: `GET` gives it.
        var reading = ReadOperation(.json, key: key, writer: JSONWriter(stoppingAt: SlicedJSON.sliceBytes))
        let isThere = (try? Root.shape.visit(root, route, 0, &reading)) != nil
        if isThere, reading.rest == nil { problem.current = reading.writer.bytes }
      }
    }
  }

  /// Whether an element that the route calls by its id is there.
  private func holds<Root: Model>(_ route: Route, _ root: Root) -> Bool {
    guard case .key? = route.steps.last else { return false }
    return (try? read(.digest, in: root, along: route)) != nil
  }

  /// Takes a copy; a few operations that copy what others have copied would otherwise be the work of many bodies.
  private mutating func copy<Root: Model>(
    _ source: Route, of root: Root, _ index: Int
  ) throws(Problem) -> JSONDocument {
    let room = PatchDocument.maximumCopiedBytes - copiedBytes
    var reading = ReadOperation(.json, key: key, writer: JSONWriter(stoppingAt: room + 1))
    do throws(Absence) { try Root.shape.visit(root, source, 0, &reading) } catch {
      throw Problem(.absent(error)).with { $0.pointer = "/\(index)/from" }
    }
    let bytes = reading.writer.bytes
    guard reading.rest == nil, bytes.count <= room else {
      throw Problem(
        .contentTooLarge, "A JSON Patch may copy and move \(PatchDocument.maximumCopiedBytes) bytes of JSON in all."
      ).with { $0.pointer = "/\(index)/from" }
    }
    copiedBytes += bytes.count
    // The reader takes what the writer wrote, but for a state deeper than any text may be.
    guard let document = try? JSONDocument(parsing: bytes) else {
      throw Problem(.absent(Absence(.nilOptional, depth: source.steps.count))).with { $0.pointer = "/\(index)/from" }
    }
    return document
  }
}
