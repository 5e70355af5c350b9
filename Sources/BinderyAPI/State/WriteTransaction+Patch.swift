import BinderyCore
import BinderyHTTP
import BinderyJSON

extension WriteTransaction {
  /// Applies the operations of a JSON Patch (RFC 6902).
  ///
  /// Each value that an operation writes is checked at once, and the values around it after the last operation.
  ///
  /// - Throws: The problem of the first operation that fails, with its index.
  mutating func apply<Root: Sendable>(
    _ patch: PatchDocument, to root: inout Root, from base: Root, of model: ModelDefinition<Root>
  ) throws(Problem) {
    let start = self
    // A move is two edits.
    defersConstraints = patch.operations.count > 1 || patch.operations.first?.isMove == true
    var failure: Problem?
    do throws(Problem) { try applyOperations(of: patch, to: &root, from: base, of: model) } catch {
      guard defersConstraints, error.kind == .invalidState else { throw error }
      failure = error
    }
    guard defersConstraints else { return }
    do throws(ValidationError) { try model.shape.check(root, since: base) } catch {
      // Again, with the checks that find the operation.
      self = start
      root = base
      getters?.invalidate()
      try applyOperations(of: patch, to: &root, from: base, of: model)
      throw Problem(.invalid(error))
    }
    if let failure { throw failure }
  }

  private mutating func applyOperations<Root: Sendable>(
    of patch: PatchDocument, to root: inout Root, from base: Root, of model: ModelDefinition<Root>
  ) throws(Problem) {
    // The newest version that is known to be valid, and whether the draft has changed since.
    var (valid, isChanged) = (base, false)
    for (index, operation) in patch.operations.enumerated() {
      // The code of the model must see no value that breaks its constraints.
      if defersConstraints, isChanged, hasPositions || operation.runsModelCode {
        func check() -> Bool { (try? model.shape.check(root, since: valid)) != nil }
        guard let isValid = if let getters { getters.check(check) } else { check() } else {
          throw Problem.repetitionBudgetExceeded.inOperation(index)
        }
        guard isValid else { throw Problem(.invalidState, "An operation has broken a constraint.") }
        (valid, isChanged) = (root, false)
      }
      isChanged = isChanged || operation.changesState
      if operation.movesElements, hasPositions {
        hasPositions = false
        judge(in: root, from: base, of: model) { $0.steps.contains(where: \.isPosition) }
        try checkEchoes(in: root, of: model) { $0.contains(where: \.isPosition) }
      }
      var problem: Problem?
      do throws(Problem) {
        try apply(operation, index, to: &root, of: model)
      } catch { problem = error }
      // The operation ran without the getters that the budget stopped, so its own result does not count.
      if getters?.isExhausted == true { problem = .repetitionBudgetExceeded }
      if shiftedElements > PatchDocument.maximumShiftedElements { problem = .shiftBudgetExceeded }
      if let problem { throw problem.inOperation(index) }
    }
  }

  private mutating func apply<Root: Sendable>(
    _ operation: PatchDocument.Operation, _ index: Int, to root: inout Root, of model: ModelDefinition<Root>
  ) throws(Problem) {
    let path = operation.path
    switch operation.verb {
    case .add(let value):
      try write(.insert(value), path, at: operation.position, &root, of: model, index)
    case .replace(let value): try write(.replace(value), path, &root, of: model, index)
    case .remove: try remove(path, "path", from: &root, of: model, index)
    case .test(let value): try test(value, root, path.route, of: model)
    case .copy(let from):
      let isSameType = from.route.target.hasSameStorage(as: path.route.target)
      let copy = try copy(from.route, omittingComputed: isSameType, in: root, of: model)
      try write(
        .insert(copy.root), path, at: operation.position, &root, of: model, index, isCopy: true)
    case .move(let from):
      // Members that clients cannot write move with their element.
      let (source, target) = (from.route, path.route)
      let isSameType = source.target.hasSameStorage(as: target.target)
      let isStored = isSameType && source.target.keepsMembers && !source.isComputed && !target.isComputed
      let copy = try copy(source, isStored ? .stored : .json, omittingComputed: isSameType, in: root, of: model)
      if operation.position == nil, from.isSpelled(as: path) || isOneElement(source, target, in: root, of: model) {
        return
      }
      try remove(from, "from", from: &root, of: model, index, isMoving: from.hasSameParent(as: path))
      try write(
        .insert(copy.root), path, at: operation.position, &root, of: model, index, isCopy: true,
        isStored: isStored)
    }
  }

  private mutating func write<Root: Sendable>(
    _ operation: Edit.Operation, _ target: PatchDocument.Target, at position: Int? = nil,
    _ root: inout Root, of model: ModelDefinition<Root>, _ index: Int, isCopy: Bool = false, isStored: Bool = false
  ) throws(Problem) {
    do throws(EditError) {
      // The parent of an added value must exist (RFC 6902 §4.1).
      let requiredSteps = operation.kind == .insert ? target.route.steps.count - 1 : nil
      var edit = Edit(operation, requiredSteps: requiredSteps, along: target.route, stored: isStored)
      edit.position = position
      try apply(&edit, to: &root, of: model, along: target.route, operation: index, isCopy: isCopy)
      shiftedElements += edit.shiftedElements
    } catch {
      if let position, error == .absent(Absence(.noSuchElement("\(position)"), depth: target.route.steps.count - 1)) {
        throw Problem(.noSuchElement, "The position \(position) is beyond the end of the collection.")
          .with { $0.pointer = "/at" }
      }
      throw Problem(error).with { problem in
        // A copied value is not part of the request, so the pointer can only name its source.
        let location = problem.pointer.map { isCopy ? "from" : "value" + $0 }
        problem.pointer = "/" + (location ?? "path")
      }
    }
  }

  private mutating func remove<Root: Sendable>(
    _ target: PatchDocument.Target, _ member: String, from root: inout Root, of model: ModelDefinition<Root>,
    _ index: Int, isMoving: Bool = false
  ) throws(Problem) {
    do throws(EditError) {
      var edit = Edit(.remove, along: target.route)
      edit.defersConstraints = isMoving
      try apply(&edit, to: &root, of: model, along: target.route, operation: index)
      shiftedElements += edit.shiftedElements
      // A nil optional is there, as `null`; an element or entry may be missing.
      guard !edit.wasAbsent || !target.route.isRemovable else {
        throw .absent(Absence(.noSuchElement(target.segments.last ?? ""), depth: target.route.steps.count))
      }
    } catch {
      throw Problem(error).with { $0.pointer = "/\(member)" }
    }
  }

  private func test<Root: Sendable>(
    _ value: JSONNode, _ root: Root, _ route: Route, of model: ModelDefinition<Root>
  ) throws(Problem) {
    let purpose = ReadOperation.Purpose.equality(value, at: route.steps)
    guard let reading = try? read(purpose, in: root, of: model, along: route), reading.isEqual else {
      let detail = "The value at “path” is different or absent, so the patch was rejected. Nothing was changed."
      throw Problem(.testFailed, detail).with { problem in
        problem.pointer = "/value"
        let writer = JSONWriter(stoppingAt: SlicedJSON.sliceBytes)
        var reading = ReadOperation(.json, key: key, writer: writer, getters: getters)
        if (try? model.shape.visit(root, route, 0, &reading)) != nil { problem.current = reading.shortJSON }
      }
    }
  }

  /// Returns whether two routes name the same element or entry, which has several names: its index, and its id, whose
  /// spelling may vary.
  private func isOneElement<Root: Sendable>(
    _ source: Route, _ target: Route, in root: Root, of model: ModelDefinition<Root>
  ) -> Bool {
    // An index at the end of the target is a position.
    guard source.steps.count == target.steps.count, case .key? = target.steps.last else { return false }
    let shape = model.shape
    return shape.namingElements(source.steps, in: root, getters)
      .elementsEqual(shape.namingElements(target.steps, in: root, getters), by: Step.isSame)
  }

  /// Copies the value of a `copy` or `move` operation.
  ///
  /// The total size is limited: otherwise a few operations that copy the result of earlier copies could multiply a
  /// small body into an arbitrary amount of work.
  ///
  /// - Parameter omitsComputed: Whether to leave out computed members. They follow from the others at a place of the
  ///   same type, where their setters would run if they differ from the present value.
  private mutating func copy<Root: Sendable>(
    _ source: Route, _ purpose: ReadOperation.Purpose = .json, omittingComputed omitsComputed: Bool, in root: Root,
    of model: ModelDefinition<Root>
  ) throws(Problem) -> JSONDocument {
    let remainingBytes = PatchDocument.maximumCopiedBytes - copiedBytes
    var writer = JSONWriter(stoppingAt: remainingBytes + 1)
    writer.omitsComputed = omitsComputed
    var reading = ReadOperation(purpose, key: key, writer: writer, getters: getters)
    do throws(Absence) {
      if source.target.hasGetters, let getters {
        // All getters of the value run, and they are charged as one.
        try getters.run(at: source.steps) {
          Result { () throws(Absence) in try model.shape.visit(root, source, 0, &reading) }
        }?.get()
      } else {
        try model.shape.visit(root, source, 0, &reading)
      }
    } catch { throw Problem(.absent(error)).with { $0.pointer = "/from" } }
    let bytes = reading.writer.bytes
    guard reading.writeRemainder == nil, bytes.count <= remainingBytes else {
      throw Problem(
        .contentTooLarge,
        """
        Expected the operations to copy and move at most \(PatchDocument.maximumCopiedBytes) bytes of JSON in total. \
        Split the patch into several requests.
        """
      ).with { $0.pointer = "/from" }
    }
    copiedBytes += bytes.count
    // The reader accepts everything that the writer produces, except values that exceed its nesting limit.
    guard let document = try? JSONDocument(parsing: bytes) else {
      throw Problem(.absent(Absence(.nilOptional, depth: source.steps.count))).with { $0.pointer = "/from" }
    }
    return document
  }
}

extension PatchDocument.Operation {
  /// Whether the operation may call getters, setters or property observers.
  fileprivate var runsModelCode: Bool {
    let from: Route? =
      switch verb {
      case .move(let from), .copy(let from): from.route
      case .add, .remove, .replace, .test: nil
      }
    return [path.route, from].compactMap(\.self).contains { route in
      !route.isDirectlyStored || route.target.hasGetters || route.target.hasObservers
    }
  }

  fileprivate var isMove: Bool { if case .move = verb { true } else { false } }

  /// Whether the operation may change the state.
  fileprivate var changesState: Bool { if case .test = verb { false } else { true } }

  /// Whether the operation may change the positions of elements.
  fileprivate var movesElements: Bool {
    switch verb {
    case .add, .remove, .move, .copy: true
    case .replace, .test: false
    }
  }
}

extension Problem {
  /// The getters and the checks that ran again exceed the budget of a JSON Patch.
  fileprivate static var repetitionBudgetExceeded: Problem {
    Problem(
      .contentTooLarge,
      """
      After an operation has changed the state, the getters of computed members may run again at most \
      \(PatchDocument.maximumRepeatedGetters) times, and together with checks of changed values for \
      \(PatchDocument.maximumRepeatedNanoseconds / 1_000_000) ms. Split the patch into several requests.
      """
    ).with { $0.pointer = "/path" }
  }

  /// The operations move more elements of plain arrays than a JSON Patch may.
  fileprivate static var shiftBudgetExceeded: Problem {
    Problem(
      .contentTooLarge,
      """
      Adding or removing an element of an array moves those after it. The operations of a patch may move at most \
      \(PatchDocument.maximumShiftedElements) elements. Split the patch into several requests, or replace the array.
      """
    ).with { $0.pointer = "/path" }
  }
}
