import BinderyDigest
public import BinderyJSON

extension EditableShape where Value: Sendable {
  /// Follows the route from the step at `index` and passes the value at its end to the read operation.
  ///
  /// - Throws: ``Absence`` if a step of the route does not exist in `value`.
  @inlinable
  package func visit(_ value: Value, _ route: Route, _ index: Int = 0, _ reading: inout ReadOperation) throws(Absence) {
    if index < route.steps.count {
      try operations.visit(value, route, index, &reading)
    } else {
      reading.read(value, self)
    }
  }

  /// Returns whether a place has the same value in two versions, or is absent in both.
  package func isSame(
    _ old: Value, _ new: Value, along route: Route, _ gettersOfOld: GetterCache?, _ gettersOfNew: GetterCache?
  ) -> Bool {
    var first = ReadOperation(.change([]), key: .unused, getters: gettersOfOld)
    let existed = (try? visit(old, route, 0, &first)) != nil
    var second = ReadOperation(.change([]), key: .unused, getters: gettersOfNew)
    second.change = first.change
    let exists = (try? visit(new, route, 0, &second)) != nil
    return exists == existed && (second.change?.isSame ?? true)
  }
}

extension EditableShape {
  /// Returns whether JSON describes a value.
  ///
  /// - Complexity: O(size of the JSON), plus the getters of the computed members that the JSON contains.
  @inlinable
  package func matches(_ value: Value, _ node: JSONNode, _ comparison: inout Comparison) -> Bool {
    operations.matches(value, node, &comparison)
  }

  /// Returns whether JSON describes a value, computed members possibly omitted.
  @inlinable
  func isEcho(_ node: JSONNode, of value: Value) -> Bool {
    var comparison = Comparison(omitting: .computed)
    return matches(value, node, &comparison)
  }
}

extension ReadOperation {
  /// Reads a value as the purpose requires.
  @usableFromInline
  package mutating func read<Value: Sendable>(_ value: Value, _ shape: EditableShape<Value>) {
    if let count = shape.operations.elementCount { elementCount = count(value) }
    switch purpose {
    case .digest:
      computeDigest(of: value, shape)
    case .json:
      encode(value, shape)
    case .stored:
      writer.raw(shape.stored(value, atMost: writer.end))
    case .page(let page):
      if let write = shape.operations.page { write(value, page, &self) } else { encode(value, shape) }
    case .digestAndJSON where !shape.type.hasCollections:
      encode(value, shape)
      digest = writer.hasStopped ? shape.digest(value, key) : key.leaf(writer.bytes.span)
    case .digestAndJSON:
      computeDigest(of: value, shape)
      encode(value, shape)
    case .equality(let node, let omission, let trail):
      // Without getters, the comparison need not know the places of the parts.
      var comparison = Comparison(omitting: omission, getters: shape.type.hasGetters ? getters : nil, trail: trail)
      isEqual = shape.matches(value, node, &comparison)
    case .storedEquality(let node, let decodedValues):
      isEqual = Self.isStored(value, shape, as: node, decodedValues)
    case .presence: break
    case .change(let steps): record(value, shape, at: steps)
    }
  }

  /// Returns whether a value is the one that JSON in the storage format describes.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  private static func isStored<Value: Sendable>(
    _ value: Value, _ shape: EditableShape<Value>, as node: JSONNode, _ decodedValues: DecodedValues?
  ) -> Bool {
    var decoding = Decoding(.stored)
    let decode = { decoding throws(ValidationError) in try shape.decode(node, &decoding) }
    let decoded = try? decodedValues?.value(of: node, creating: false, &decoding, decode) ?? decode(&decoding)
    return decoded.map { shape.areSame(value, $0) } ?? false
  }

  /// Computes the digest, with the buffer that the JSON is written to later.
  private mutating func computeDigest<Value: Sendable>(of value: Value, _ shape: EditableShape<Value>) {
    var context = DigestContext(key, reusing: writer.takeBuffer())
    digest = shape.digest(value, &context)
    writer.reuse(context.writer.takeBuffer())
  }

  private mutating func encode<Value: Sendable>(_ value: Value, _ shape: EditableShape<Value>) {
    writer.reserveShortText()
    shape.encode(value, into: &writer)
    if writer.hasStopped { keepRemainder(of: value, shape) }
  }

  /// Not inlined, because a reader of a short text would look up the metadata of the optional.
  @inline(never)
  private mutating func keepRemainder<Value: Sendable>(of value: Value, _ shape: EditableShape<Value>) {
    // Captures the value and not its route, because reading the route again could call getters again.
    let entry = share?(value)
    // Without an entry, the cast to an optional type would succeed.
    let shared = if let entry, let other = entry.value as? Value { other } else { value }
    writeRemainder = { writer in withExtendedLifetime(entry) { shape.encode(shared, into: &writer) } }
  }

  /// Records the old value of a place in the first call, and the new one in the second.
  mutating func record<Value: Sendable>(_ value: Value, _ shape: EditableShape<Value>, at steps: ArraySlice<Step>) {
    guard let change else {
      change = TypedChange(at: steps, from: value, to: value, shape)
      return
    }
    self.change = (change as? TypedChange<Value>).map { TypedChange(at: steps, from: $0.old, to: value, shape) }
  }
}
