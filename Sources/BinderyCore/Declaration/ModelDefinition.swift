import BinderyDigest

/// A model as a value: the shape of its root, and the rule that settles a draft.
///
/// The model of a ``StateModel`` follows from its type. The models of several model files have the same root type, so
/// each store keeps its own definition.
@usableFromInline
package final class ModelDefinition<Root: Sendable>: Sendable {
  /// The shape of the root.
  @usableFromInline package let shape: EditableShape<Root>
  /// The declaration of a model from a model file; nil for a model in Swift.
  package let declaration: ModelDeclaration?
  /// The references of a model file, one line each.
  package let references: [String]
  private let settling: @Sendable (inout Root, Root) throws(InvalidState) -> Void
  private let settlingWhole: (@Sendable (inout Root) throws(InvalidState) -> Void)?
  private let findingDangling: (@Sendable (Root, DanglingReference) -> Void)?

  /// Receives a reference that names no element, with its path: `*` stands for all elements and entries.
  package typealias DanglingReference = (InvalidState, String) -> Void

  /// Creates a definition.
  ///
  /// - Parameters:
  ///   - declaration: The declaration of a model from a model file.
  ///   - settle: Adjusts and checks the finished draft of a commit, like ``StateModel/settle(from:)``. Its second
  ///     argument is the state before the commit.
  ///   - settleWhole: Adjusts and checks a state that is not the result of a commit. By default, `settle` with the
  ///     state itself as the one before.
  ///   - references: The references of a model file, one line each.
  ///   - findDangling: Passes all references that name no element.
  package init(
    _ shape: EditableShape<Root>, declaration: ModelDeclaration? = nil, references: [String] = [],
    settle: @escaping @Sendable (inout Root, Root) throws(InvalidState) -> Void,
    settleWhole: (@Sendable (inout Root) throws(InvalidState) -> Void)? = nil,
    findDangling: (@Sendable (Root, DanglingReference) -> Void)? = nil
  ) {
    self.shape = shape
    self.declaration = declaration
    self.references = references
    settling = settle
    settlingWhole = settleWhole
    findingDangling = findDangling
  }

  /// Creates the definition of a model in Swift.
  package convenience init(_: Root.Type = Root.self) where Root: StateModel {
    // Mistakes in the declaration are reported now, not at the first request.
    self.init(Root.resolveShape()) { draft, base throws(InvalidState) in
      do { try draft.settle(from: base) } catch { throw error as? InvalidState ?? InvalidState("\(error)", at: "") }
    }
  }

  /// The place of the whole state.
  @usableFromInline package var root: StatePlace<Root, Root> {
    StatePlace(access: .identity, shape: shape)
  }

  /// Lets the model settle a draft, and checks what it changes.
  ///
  /// - Returns: True if the model certainly left the draft unchanged; false if it may have changed it.
  /// - Throws: ``InvalidState`` if the model rejects the draft, or sets an invalid value.
  @usableFromInline
  package func settle(_ draft: inout Root, from base: Root) throws(InvalidState) -> Bool {
    var rejection: InvalidState?
    let isUnchanged = leavesBitsUnchanged(&draft) { draft in
      do throws(InvalidState) { try settling(&draft, base) } catch { rejection = error }
    }
    if let rejection { throw rejection }
    if !isUnchanged { try check(draft, since: base) }
    return isUnchanged
  }

  /// Checks the constraints of what code of the model may have changed: its setters, property observers and `settle`.
  ///
  /// The store would not open again with an invalid value.
  ///
  /// - Throws: ``InvalidState`` for the first invalid value that differs from `base`.
  package func check(_ draft: Root, since base: Root) throws(InvalidState) {
    do throws(ValidationError) { try shape.check(draft, since: base) } catch {
      throw InvalidState("The model sets an invalid value: \(error.sentence)", at: error.pointer)
    }
  }

  /// Passes all references of a model file that name no element, which a commit cannot leave behind.
  package func findDangling(in root: Root, _ found: DanglingReference) { findingDangling?(root, found) }

  /// Lets the model settle a state that is not the result of a commit, such as that of a file, and checks what it
  /// changes.
  ///
  /// - Throws: ``InvalidState`` if the model rejects the state, or sets an invalid value.
  package func settle(whole root: inout Root) throws(InvalidState) {
    let base = root
    if let settlingWhole { try settlingWhole(&root) } else { try settling(&root, base) }
    try check(root, since: base)
  }

  /// Lets the rules of a model file settle a state that other types have written: a new rule may not hold yet.
  ///
  /// A model in Swift settles commits only, of which it may keep a count.
  package func settle(recovered root: inout Root) throws(InvalidState) { try settlingWhole?(&root) }
}
