/// The error thrown if a collection already contains an element with the same id.
public struct DuplicateID: Error, Hashable, CustomStringConvertible {
  /// The text of the id.
  public let id: String

  /// Creates the error.
  @inlinable
  package init(_ id: some PathKey) { self.id = id.keyText }

  /// The reason in words.
  public var description: String { "an element with the id “\(id)” already exists" }
}

/// The reason why an element could not be inserted.
public enum InsertionError: Error, Hashable, CustomStringConvertible {
  /// The collection already contains an element with the same id.
  case duplicateID
  /// The index is less than 0 or greater than the number of elements.
  case indexOutOfRange

  /// The reason in words.
  public var description: String {
    switch self {
    case .duplicateID: "an element with this id already exists"
    case .indexOutOfRange: "the index is out of range"
    }
  }
}
