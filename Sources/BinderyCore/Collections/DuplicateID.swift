/// The error thrown if a sequence already contains an element with the same id.
public struct DuplicateID: Error, Hashable {
  /// Creates the error.
  @inlinable
  package init() {}
}

/// The reason why an element could not be inserted.
public enum InsertionError: Error, Hashable {
  /// The sequence already contains an element with the same id.
  case duplicateID
  /// The index is less than 0 or greater than the number of elements.
  case indexOutOfRange
}
