public import BinderyDigest
public import BinderyJSON

/// A read of the value at the end of a route, and its result.
@usableFromInline
package struct ReadOperation {
  /// The result to produce.
  @usableFromInline
  package enum Purpose {
    /// Computes the digest.
    case digest
    /// Writes canonical JSON.
    case json
    /// Writes canonical JSON and computes the digest.
    case digestAndJSON
    /// Compares the value with JSON, which may omit some members. The steps lead from the root to the value.
    case equality(JSONNode, omitting: Comparison.Omission = .none, at: [Step] = [])
    /// Compares the value with JSON in the storage format, unless it was decoded before.
    case storedEquality(JSONNode, DecodedValues?)
    /// Finds out whether there is a value.
    case presence
    /// Writes a page of a sequence in canonical JSON.
    case page(Page)
    /// Writes the value in the storage format.
    case stored
    /// Records a value and then, in another version, its new value. The steps lead from the root to the value.
    case change(ArraySlice<Step>)
  }

  @usableFromInline package let purpose: Purpose
  @usableFromInline package let key: DigestKey
  /// The values of getters that were evaluated before; nil to evaluate each getter again.
  @usableFromInline package let getters: GetterCache?
  /// The ``stamp`` of an earlier read; if it is still the same, the read ends there and produces nothing.
  @usableFromInline package let knownStamp: UInt64?
  /// The stamp of the last element of an `Identified` on the route; nil if the route leads through none. Getters are
  /// pure, so the same stamp means the same value at the end of the route, in every version of the state. Types are not
  /// recursive, so an element cannot be at two depths of a route.
  @usableFromInline package var stamp: UInt64?
  @usableFromInline package var writer: JSONWriter
  @usableFromInline package var digest: Digest?
  @usableFromInline package var isEqual = false
  /// The elements of sequences on the way to the place, with the indices of their steps; nil unless they are wanted.
  @usableFromInline var elements: [(step: Int, key: AnyKey, position: Int)]?
  /// The old and the new value of the place.
  @usableFromInline var change: Change?
  /// The number of elements, if the value is a collection.
  @usableFromInline package var elementCount: Int?
  /// The id of the last element of the page; nil if no element follows it.
  @usableFromInline package var nextCursor: String?
  /// The id of the first element of the page; nil if it is the first element of the sequence.
  @usableFromInline package var previousCursor: String?
  /// The id that the page should begin after or end before, if there is no such element.
  @usableFromInline package var missingCursor: AnyKey?

  /// Returns the shared entry of a value that a getter has returned; nil for a stored value.
  @usableFromInline var share: ((any Sendable) -> SharedValues.Entry)?

  /// Writes the next slice of a long text on each call; nil if the first slice was the whole text.
  @usableFromInline package var writeRemainder: (@Sendable (inout JSONWriter) -> Void)?

  /// Creates a read operation.
  ///
  /// - Parameters:
  ///   - purpose: the result to produce.
  ///   - key: the key for digests.
  ///   - writer: the writer for JSON, which has written nothing. One with a limit stops after the first slice of a long
  ///     text.
  ///   - getters: the values of getters that were evaluated before.
  ///   - knownStamp: the ``stamp`` of an earlier read of the same route; if it is still the same, the read ends there
  ///     and produces nothing.
  package init(
    _ purpose: Purpose, key: DigestKey, writer: JSONWriter = JSONWriter(), getters: GetterCache? = nil,
    unless knownStamp: UInt64? = nil
  ) {
    self.purpose = purpose
    self.key = key
    self.writer = writer
    self.getters = getters
    self.knownStamp = knownStamp
  }

  /// Indicates that the value is the one that the earlier read has found, and that nothing was produced.
  @inlinable package var isUnchanged: Bool { knownStamp != nil && knownStamp == stamp }

  /// Writes a text, or its first slice if the writer stops.
  @usableFromInline
  mutating func write(_ encode: @escaping @Sendable (inout JSONWriter) -> Void) {
    encode(&writer)
    if writer.hasStopped { writeRemainder = encode }
  }
}

/// A page of a sequence.
@usableFromInline
package struct Page: Sendable {
  /// The maximum number of elements.
  @usableFromInline package let limit: Int
  /// The page begins after the element with this id; nil if it begins with the first one, or depends on `before`.
  @usableFromInline package let after: AnyKey?
  /// The page ends before the element with this id at the latest. Without `after`, it has the elements next to it.
  @usableFromInline package let before: AnyKey?

  /// Creates a page.
  package init(limit: Int, after: AnyKey?, before: AnyKey?) {
    self.limit = limit
    self.after = after
    self.before = before
  }
}
