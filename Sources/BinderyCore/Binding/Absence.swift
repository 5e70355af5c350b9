/// An error for a valid path to a part of the state that does not exist at the moment.
public struct Absence: Error, Hashable, Sendable {
  /// The reason why the part does not exist.
  public enum Reason: Hashable, Sendable {
    /// Another case of the enum is active.
    case inactiveCase(wanted: String, active: String)
    /// An optional in the path is nil.
    case nilOptional
    /// No element has the id, or no entry has the key.
    case noSuchElement(String)
  }

  /// The reason why the part does not exist.
  public let reason: Reason
  /// The number of steps of the path that exist, before the one that does not.
  @usableFromInline package let depth: Int

  /// Creates an error from the reason and the number of existing steps.
  @inlinable
  package init(_ reason: Reason, depth: Int) {
    self.reason = reason
    self.depth = depth
  }
}

extension Absence: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch reason {
    case .inactiveCase(let wanted, let active): "the case “\(wanted)” is not active, “\(active)” is"
    case .nilOptional: "an optional in the path is nil"
    case .noSuchElement(let key): "there is no element “\(key)”"
    }
  }
}
