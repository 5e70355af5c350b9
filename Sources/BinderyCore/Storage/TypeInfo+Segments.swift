extension TypeInfo {
  /// The segments of a place in the storage format, and which of them name elements of sequences.
  struct StoredSegments {
    /// In the form of ``Pointer/json(_:)``.
    var segments: [[UInt8]] = []
    /// The indices of the segments that name elements of sequences.
    var elements: [Int] = []
  }

  /// Returns the segments of a place.
  ///
  /// - Parameter steps: the steps from a value of this type to the place, without positions and computed members.
  func storedSegments(along steps: ArraySlice<Step>) -> StoredSegments {
    var result = StoredSegments()
    result.segments.reserveCapacity(8)
    var type = self
    for step in steps {
      switch (type.kind, step) {
      case (.product(let product), .member(let index)):
        result.segments.append(product.members[index].segment)
        type = product.members[index].type
      case (.sum(let cases), .payload(let index)):
        guard let payload = cases[index].payload else { return result }
        result.segments.append(cases[index].segment)
        type = payload
      case (.elements(let element, _), .key(let key)):
        result.elements.append(result.segments.count)
        result.segments.append(key.segment)
        type = element
      case (.dictionary(let entry, _), .key(let key)):
        result.segments.append(key.segment)
        type = entry
      case (.optional(let wrapped), .wrapped):
        if case .optional = wrapped.kind { result.segments.append(Pointer.json("some")) }
        type = wrapped
      default: preconditionFailure("the steps of a change fit the types")
      }
    }
    return result
  }
}
