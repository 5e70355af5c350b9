/// Refused, because an element with the same id is there already.
public struct DuplicateID: Error, Hashable {
  @inlinable
  public init() {}
}

/// Why an element could not be inserted.
public enum InsertionError: Error, Hashable {
  /// An element with the same id is there already.
  case duplicateID
  /// The index is below 0 or above the number of elements.
  case indexOutOfRange
}
