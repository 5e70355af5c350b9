extension TypeInfo {
  /// Returns the segments of a place in the storage format, in the form of ``Pointer/json(_:)``.
  ///
  /// - Parameter steps: the steps from a value of this type to the place, without positions and computed members.
  func storedSegments(along steps: ArraySlice<Step>) -> [[UInt8]] {
    var segments: [[UInt8]] = []
    segments.reserveCapacity(8)
    var type = self
    for step in steps {
      switch (type.kind, step) {
      case (.product(let product), .member(let index)):
        segments.append(product.members[index].segment)
        type = product.members[index].type
      case (.sum(let cases), .payload(let index)):
        guard let payload = cases[index].payload else { return segments }
        segments.append(cases[index].segment)
        type = payload
      case (.elements(let element, _), .key(let key)), (.dictionary(let element, _), .key(let key)):
        segments.append(key.segment)
        type = element
      case (.optional(let wrapped), .wrapped):
        if case .optional = wrapped.kind { segments.append(Pointer.json("some")) }
        type = wrapped
      default: preconditionFailure("the steps of a change fit the types")
      }
    }
    return segments
  }
}
