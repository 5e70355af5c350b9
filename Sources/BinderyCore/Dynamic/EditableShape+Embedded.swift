import BinderyJSON

extension EditableShape where Value: Sendable {
  /// Returns this shape as the shape of a type that contains this one, as an enum contains the payloads of its cases.
  ///
  /// JSON, digests, the storage format and errors stay those of this shape.
  ///
  /// - Parameters:
  ///   - embed: Creates a value of the containing type.
  ///   - extract: Returns the contained value.
  ///   - release: Gives up the containing value's reference to the contained one, so that an edit need not copy it.
  func embedded<Outer: Sendable>(
    _ embed: @escaping @Sendable (Value) -> Outer, _ extract: @escaping @Sendable (Outer) -> Value,
    release: @escaping @Sendable (inout Outer) -> Void = { _ in }
  ) -> EditableShape<Outer> {
    typealias Outside = EditableShape<Outer>.Operations
    let inner = operations
    let edit: Outside.Change = { value, edit throws(EditError) in
      var part = extract(value)
      release(&value)
      defer { value = embed(part) }
      try inner.edit(&part, &edit)
    }
    let descend: Outside.Descend = { value, route, index, edit throws(EditError) in
      var part = extract(value)
      release(&value)
      defer { value = embed(part) }
      try inner.descend(&part, route, index, &edit)
    }
    var page: (@Sendable (Outer, Page, inout ReadOperation) -> Void)?
    if let writePage = inner.page { page = { value, range, reading in writePage(extract(value), range, &reading) } }
    var elementCount: (@Sendable (Outer) -> Int)?
    if let count = inner.elementCount { elementCount = { count(extract($0)) } }
    var difference: Outside.FindDifference?
    if let find = inner.difference { difference = { old, new, builder in find(extract(old), extract(new), &builder) } }
    var store: Outside.StoreValue?
    if let write = inner.store { store = { value, writer in write(extract(value), &writer) } }
    var digest: Outside.MakeDigest?
    if let make = inner.digest { digest = { value, context in make(extract(value), &context) } }
    var check: Outside.Check?
    if let verify = inner.check {
      check = { value, base throws(ValidationError) in try verify(extract(value), base.map(extract)) }
    }
    var outside = Outside(
      encode: { value, writer in inner.encode(extract(value), &writer) },
      decode: { node, decoding throws(ValidationError) in embed(try inner.decode(node, &decoding)) },
      areSame: { a, b in inner.areSame(extract(a), extract(b)) },
      matches: { value, node, comparison in inner.matches(extract(value), node, &comparison) },
      digest: digest, check: check,
      visit: { value, route, index, reading throws(Absence) in
        try inner.visit(extract(value), route, index, &reading)
      },
      edit: edit, descend: descend,
      construct: { route, index, edit throws(EditError) in embed(try inner.construct(route, index, &edit)) },
      hasOtherIdentity: { value, node in inner.hasOtherIdentity(extract(value), node) },
      elementCount: elementCount, page: page,
      observe: { old, new, watch in inner.observe(old.map(extract), extract(new), watch) }, difference: difference,
      store: store)
    outside.hasConstraints = inner.hasConstraints
    return EditableShape<Outer>(type: type, operations: outside)
  }

  /// Returns this shape as the shape of dynamic values.
  func dynamic(
    _ embed: @escaping @Sendable (Value) -> DynamicValue, _ extract: @escaping @Sendable (DynamicValue) -> Value?
  ) -> EditableShape<DynamicValue> {
    embedded(
      embed,
      { value in
        guard let part = extract(value) else { value.mismatch("\(Value.self)") }
        return part
      },
      release: { $0 = .null })
  }

  /// The same with code that types share: slower, for types that few values have. Each of them would otherwise add 5 KB
  /// to the program.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  func rarelyDynamic(
    _ embed: @escaping @Sendable (Value) -> DynamicValue, _ extract: @escaping @Sendable (DynamicValue) -> Value?
  ) -> EditableShape<DynamicValue> {
    dynamic(embed, extract)
  }
}

extension EditableShape<DynamicValue> {
  /// Returns the shape of an optional of this shape.
  var optional: EditableShape {
    let base = OptionalShape(wrapped: self)
    guard base.isNested else {
      return base.shape.embedded({ $0 ?? .null }, { $0.isNull ? nil : $0 }, release: { $0 = .null })
    }
    return base.shape.embedded(
      { $0.map(DynamicValue.layer) ?? .null }, { if case .layer(let wrapped) = $0 { wrapped } else { nil } },
      release: { $0 = .null })
  }

  /// Returns the shape of an array of this shape.
  func list(_ limits: CountLimits) -> EditableShape {
    ArrayShape(elementShape: self).shape.constrained(by: limits.constraints { $0.count })
      .dynamic({ .list($0) }, { if case .list(let elements) = $0 { elements } else { nil } })
  }

  /// Returns the shape of a set of this shape.
  func set(_ limits: CountLimits) -> EditableShape {
    let element = embedded({ [self] in CanonicalElement($0, json: text($0)) }, { $0.value })
    return SetShape(elementShape: element).shape.constrained(by: limits.constraints { $0.count })
      .rarelyDynamic({ .set($0) }, { if case .set(let elements) = $0 { elements } else { nil } })
  }

  /// Returns the shape of a collection of this shape, which must be that of a struct with an id.
  func collection<ID: DynamicKey>(_: ID.Type, _ limits: CountLimits) -> EditableShape {
    let element = embedded({ DynamicElement<ID>($0) }, { $0.value }, release: { $0.release() })
    return IdentifiedShape(elementShape: element).shape.constrained(by: limits.constraints { $0.count })
      .dynamic({ ID.value(of: $0) }, { ID.elements(of: $0) })
  }

  /// Returns the shape of a dictionary with values of this shape.
  func dictionary<Key: DynamicKey>(_: Key.Type, _ limits: CountLimits) -> EditableShape {
    DictionaryShape<Key, DynamicValue>(valueShape: self).shape.constrained(by: limits.constraints { $0.count })
      .rarelyDynamic({ Key.value(of: $0) }, { Key.entries(of: $0) })
  }
}
