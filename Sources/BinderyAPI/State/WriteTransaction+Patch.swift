import BinderyCore
import BinderyHTTP
import BinderyJSON

extension WriteTransaction {
  /// Applies the operations of a JSON Patch (RFC 6902). Its pointers are relative to the route.
  ///
  /// - Throws: The problem of the first operation that fails, with its index.
  mutating func apply<Root: Model>(
    _ patch: PatchDocument, to root: inout Root, along base: Route
  ) throws(Problem) {
    for (index, operation) in patch.operations.enumerated() {
      do throws(Problem) {
        try apply(operation, index, to: &root, along: base)
      } catch {
        throw error.with { problem in
          problem.operation = index
          // 404 would mean that the path of the request is absent. An absent value inside a patch is a conflict (409).
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
      let targetExisted = contains(route, root)
      try remove(source, of: &root, index, "from")
      // An element has several names: its index, and its id, whose spelling may vary. If the target is absent after the
      // removal of the source, both named the same element, and the move changes nothing.
      if targetExisted, route.steps.count == source.steps.count, !contains(route, root) {
        root = before
        return
      }
      try write(Edit(.insert(copy.root), mayCreate: true, along: route), &root, route, index, isCopy: true)
    }
  }

  /// Resolves a pointer of an operation.
  ///
  /// - Parameters:
  ///   - member: The name of the operation's member that contains the pointer: `path` or `from`.
  ///   - index: The index of the operation.
  private func resolve(
    _ segments: [String], along base: Route, _ member: String, _ index: Int
  ) throws(Problem) -> Route {
    guard let route = base.resolving(segments, form: .pointer) else {
      throw Problem(.unknownPath, "The path “\(Pointer.text(segments))” does not exist below the path of this request.")
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
        // A copied value is not part of the request, so the pointer can only name its source.
        let location = problem.pointer.map { isCopy ? "from" : "value" + $0 }
        problem.pointer = "/\(index)/" + (location ?? "path")
      }
    }
  }

  private mutating func remove<Root: Model>(
    _ route: Route, of root: inout Root, _ index: Int, _ member: String
  ) throws(Problem) {
    guard route.isWritable else { throw readOnly(index, member) }
    guard route.canDelete else {
      throw Problem(
        .notRemovable, "Only optionals, elements and entries can be removed. Use “replace” to set another value."
      )
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
    Problem(.readOnlyMember, "The value at this path is read-only: it can only be tested or copied.").with {
      $0.pointer = "/\(index)/\(member)"
    }
  }

  private func test<Root: Model>(_ value: JSONNode, _ root: Root, _ route: Route, _ index: Int) throws(Problem) {
    guard let reading = try? read(.equality(value), in: root, along: route), reading.isEqual else {
      let detail = "The value at “path” is different or absent, so the patch was rejected. Nothing was changed."
      throw Problem(.testFailed, detail).with { problem in
        problem.pointer = "/\(index)/value"
        // A long value is omitted, because a problem is written at once. The client can GET it.
        var reading = ReadOperation(.json, key: key, writer: JSONWriter(stoppingAt: SlicedJSON.sliceBytes))
        let exists = (try? Root.shape.visit(root, route, 0, &reading)) != nil
        if exists, reading.writeRemainder == nil { problem.current = reading.writer.bytes }
      }
    }
  }

  /// Returns whether the element exists whose id is the last step of the route; false for any other route.
  private func contains<Root: Model>(_ route: Route, _ root: Root) -> Bool {
    guard case .key? = route.steps.last else { return false }
    return (try? read(.digest, in: root, along: route)) != nil
  }

  /// Copies the value of a `copy` or `move` operation.
  ///
  /// The total size is limited: otherwise a few operations that copy the result of earlier copies could multiply a
  /// small body into an arbitrary amount of work.
  private mutating func copy<Root: Model>(
    _ source: Route, of root: Root, _ index: Int
  ) throws(Problem) -> JSONDocument {
    let remainingBytes = PatchDocument.maximumCopiedBytes - copiedBytes
    var reading = ReadOperation(.json, key: key, writer: JSONWriter(stoppingAt: remainingBytes + 1))
    do throws(Absence) { try Root.shape.visit(root, source, 0, &reading) } catch {
      throw Problem(.absent(error)).with { $0.pointer = "/\(index)/from" }
    }
    let bytes = reading.writer.bytes
    guard reading.writeRemainder == nil, bytes.count <= remainingBytes else {
      throw Problem(
        .contentTooLarge,
        """
        Expected the operations to copy and move at most \(PatchDocument.maximumCopiedBytes) bytes of JSON in total. \
        Split the patch into several requests.
        """
      ).with { $0.pointer = "/\(index)/from" }
    }
    copiedBytes += bytes.count
    // The reader accepts everything that the writer produces, except values that exceed its nesting limit.
    guard let document = try? JSONDocument(parsing: bytes) else {
      throw Problem(.absent(Absence(.nilOptional, depth: source.steps.count))).with { $0.pointer = "/\(index)/from" }
    }
    return document
  }
}
