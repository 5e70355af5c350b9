import BinderyJSON

/// Two changes of the same place, made independently of each other.
struct MergeConflict: Error {
  /// The JSON Pointer of the place.
  let pointer: String
}

extension StoredPatch {
  /// Returns the operations of this patch that remain to be done on a version to which another patch has led.
  ///
  /// Both patches begin at the same version. Operations that are in both patches are left out. The order of elements is
  /// not a place: a move contradicts nothing, and is left out if the other patch removes or moves the element.
  ///
  /// - Throws: ``MergeConflict`` if both patches change the same place, or one changes a part of what the other
  ///   changes.
  func rebased(onto other: StoredPatch) throws(MergeConflict) -> StoredPatch {
    let changed = ChangedPlaces(other)
    var remaining: [StoredOperation] = []
    for operation in operations {
      if try changed.leave(operation) { remaining.append(operation) }
    }
    return StoredPatch(remaining)
  }
}

/// The places that a patch changes.
private struct ChangedPlaces {
  private var operations: [String: [StoredOperation]] = [:]
  /// The pointers of all places that contain a changed one.
  private var containers: Set<Substring> = []

  init(_ patch: StoredPatch) {
    for operation in patch.operations {
      operations[operation.pointer, default: []].append(operation)
      if !operation.isMove { containers.formUnion(operation.pointer.containers) }
    }
  }

  /// Returns whether these changes leave an operation of another patch to be done.
  ///
  /// - Throws: ``MergeConflict`` if they change the same place, a part of it, or a place around it.
  func leave(_ operation: StoredOperation) throws(MergeConflict) -> Bool {
    let conflict = MergeConflict(pointer: operation.pointer)
    for container in operation.pointer.containers {
      if operations[String(container)]?.contains(where: { !$0.isMove }) == true { throw conflict }
    }
    let same = operations[operation.pointer, default: []]
    if operation.isMove { return !same.contains { $0.isRemoval || $0.isMove } }
    if same.contains(where: operation.hasSameResult) { return false }
    if same.contains(where: { !$0.isMove }) || containers.contains(operation.pointer[...]) { throw conflict }
    return true
  }
}

extension StoredOperation {
  fileprivate var isMove: Bool { if case .move = verb { true } else { false } }
  fileprivate var isRemoval: Bool { if case .remove = verb { true } else { false } }

  /// Returns whether two operations on a place leave the same value there.
  fileprivate func hasSameResult(as other: StoredOperation) -> Bool {
    switch (verb, other.verb) {
    case (.replace(let a), .replace(let b)), (.add(let a, _), .add(let b, _)): a.text == b.text
    case (.remove, .remove): true
    default: false
    }
  }
}

extension String {
  /// The pointers of the places that contain the place of this pointer, except the root.
  fileprivate var containers: [Substring] {
    utf8.indices.dropFirst().filter { utf8[$0] == UInt8(ascii: "/") }.map { self[..<$0] }
  }
}
