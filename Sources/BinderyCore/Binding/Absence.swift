/// Why a place is not there just now: its address is right, but the value has no such part.
public struct Absence: Error, Hashable, Sendable {
  /// What is missing.
  public enum Reason: Hashable, Sendable {
    /// The enum is in another case.
    case inactiveCase(wanted: String, active: String)
    /// An optional on the way is nil.
    case nilOptional
    /// No element has that id, no entry has that key.
    case noSuchElement(String)
  }

  public let reason: Reason
  /// How many steps of the address were taken before the one that is missing.
  public let depth: Int

  @inlinable
  public init(_ reason: Reason, depth: Int) {
    self.reason = reason
    self.depth = depth
  }
}

extension Absence: CustomStringConvertible {
  public var description: String {
    switch reason {
    case .inactiveCase(let wanted, let active): "the case “\(wanted)” is not active, “\(active)” is"
    case .nilOptional: "an optional on the way is nil"
    case .noSuchElement(let key): "there is no element “\(key)”"
    }
  }
}
