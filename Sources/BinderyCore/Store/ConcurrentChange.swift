/// A change that was made to an earlier version of the state, to be merged into a newer one.
///
/// Places that only one side has changed keep that change. The store may have changed the same places meanwhile: then
/// nothing is merged.
package struct ConcurrentChange<Root: Sendable>: Sendable {
  /// The reason why a change cannot be merged.
  package enum Failure: Error, Hashable, Sendable {
    /// The place at a JSON Pointer was changed on both sides.
    case conflict(at: String)
    /// The result would break a rule of the model.
    case invalid(RestoreError)
  }

  private let model: ModelDefinition<Root>
  private let base: Root
  private let patch: StoredPatch

  /// Creates a change.
  ///
  /// - Parameters:
  ///   - base: the version that was changed.
  ///   - changed: the result of the change. Its hidden members do not count.
  /// - Throws: ``RestoreError`` if a read-only member was changed.
  package init(of model: ModelDefinition<Root>, from base: Root, to changed: Root) throws(RestoreError) {
    (self.model, self.base) = (model, base)
    patch = try Self.patch(from: base, to: changed, model)
    for operation in patch.operations {
      guard let route = try operation.route(in: model.shape.type), !route.isWritable else { continue }
      throw RestoreError("this member is read-only", at: operation.pointer)
    }
  }

  private static func patch(
    from old: Root, to new: Root, _ model: ModelDefinition<Root>
  ) throws(RestoreError) -> StoredPatch {
    var difference = PatchBuilder(.data)
    model.shape.difference(from: old, to: new, &difference)
    return try StoredPatch(parsing: difference.finish())
  }

  /// The JSON Pointer of the first place that was changed; nil if there is none.
  package var firstPlace: String? { patch.operations.first?.pointer }

  /// Returns a version of the state with the change, settled by the model.
  package func merged(into current: Root) throws(Failure) -> Root {
    let others: StoredPatch
    do throws(RestoreError) { others = try Self.patch(from: base, to: current, model) } catch { throw .invalid(error) }
    let remaining: StoredPatch
    do throws(MergeConflict) { remaining = try patch.rebased(onto: others) } catch {
      throw .conflict(at: error.pointer)
    }
    do throws(RestoreError) { return try applying(remaining, to: current) } catch { throw .invalid(error) }
  }

  private func applying(_ patch: StoredPatch, to current: Root) throws(RestoreError) -> Root {
    var root = current
    try model.shape.restore(&root, patch, isRebased: true)
    do throws(ValidationError) { try model.shape.check(root, since: current) } catch {
      throw RestoreError(error.detail, at: error.pointer)
    }
    do throws(InvalidState) { _ = try model.settle(&root, from: current) } catch {
      throw RestoreError(error.message, at: error.pointer)
    }
    return root
  }
}
