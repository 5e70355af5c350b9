/// A typed address of a part of the state: the counterpart of a URL in Swift code.
///
///     let quantity = Menu.places.dishes[id: id].status[case: Status.inStock]
///     quantity.path                       // "/dishes/…/status/inStock/quantity"
///     try await store.edit(quantity) { $0 -= 1 }
///
/// A place contains no value. Creating a place takes microseconds and using it takes nanoseconds, so create it once and
/// reuse it.
@dynamicMemberLookup
public struct StatePlace<Root: Sendable, Value: Sendable>: Sendable {
  /// The parts of a place. They are in one object, so that a copy of a place retains one object.
  @usableFromInline
  final class Storage: Sendable {
    @usableFromInline let access: Access<Root, Value>
    @usableFromInline let shape: EditableShape<Value>
    @usableFromInline let steps: [Step]
    @usableFromInline let segments: [String]
    @usableFromInline let isLocal: Bool

    @inlinable
    init(
      access: Access<Root, Value>, shape: EditableShape<Value>, steps: [Step], segments: [String], isLocal: Bool
    ) {
      self.access = access
      self.shape = shape
      self.steps = steps
      self.segments = segments
      self.isLocal = isLocal
    }
  }

  @usableFromInline let storage: Storage

  /// Reads and edits the part in a root value.
  @inlinable package var access: Access<Root, Value> { storage.access }
  /// The shape of the part.
  @inlinable package var shape: EditableShape<Value> { storage.shape }
  /// The steps from the root to the part.
  @inlinable package var steps: [Step] { storage.steps }
  /// The unescaped segments of ``path``.
  @inlinable var segments: [String] { storage.segments }
  /// Whether a write has no effects outside the place, because no step leads through a setter, a property observer or
  /// a fallback, and no value around it has constraints of its own. It is then sufficient to check and compare the
  /// place. A case is trusted to keep its payload, by the law of ``CasePath``.
  @inlinable package var isLocal: Bool { storage.isLocal }

  /// The address as a JSON Pointer (RFC 6901). Over HTTP, the path of the URL is `/state` followed by this pointer.
  public var path: String { Pointer.text(segments) }

  /// Creates a place from its parts.
  @inlinable
  init(
    access: Access<Root, Value>, shape: EditableShape<Value>, steps: [Step] = [], segments: [String] = [],
    isLocal: Bool = true
  ) {
    storage = Storage(access: access, shape: shape, steps: steps, segments: segments, isLocal: isLocal)
  }

  /// Returns the place of a part of this place.
  ///
  /// - Parameter isDirect: Whether a write of the part changes nothing else in this place.
  @inlinable
  func appending<Part>(
    _ access: Access<Root, Part>, _ shape: EditableShape<Part>, _ steps: [Step], _ segments: [String],
    isDirect: Bool = true
  ) -> StatePlace<Root, Part> {
    StatePlace<Root, Part>(
      access: access, shape: shape, steps: self.steps + steps, segments: self.segments + segments,
      isLocal: isLocal && isDirect && !self.shape.hasConstraints)
  }
}

extension StatePlace where Root == Value, Root: Editable {
  /// The whole state.
  @inlinable package static var root: StatePlace {
    StatePlace(access: .identity, shape: Root.resolveShape())
  }
}

extension Editable {
  /// The place of the whole value, from which the places of its parts are derived: `Menu.places.pinnedDish`.
  @inlinable public static var places: StatePlace<Self, Self> { .root }
}

extension StatePlace {
  /// Returns the value at the place in a root value, such as the draft of a commit.
  ///
  /// - Throws: ``Absence`` if the place does not exist.
  @inlinable
  public func value(in root: Root) throws(Absence) -> Value { try access.get(root) }

  /// Edits the value at the place in a root value, such as the draft of a commit:
  ///
  ///     try await store.commit { draft in
  ///       try Menu.places.pinnedDish.unwrapped().edit(in: &draft) { $0.isFavorite = true }
  ///       draft.editing = .none
  ///     }
  ///
  /// - Parameters:
  ///   - root: The value that contains the place.
  ///   - body: Edits the value. If it throws, the root stays unchanged.
  /// - Returns: The result of `body`.
  /// - Throws: ``Absence`` if the place does not exist, ``ValidationError`` if it is read-only, or the error of `body`.
  @discardableResult @inlinable
  public func edit<Result>(in root: inout Root, _ body: (inout Value) throws -> Result) throws -> Result {
    try access.edit(&root, body)
  }

  /// The place of a member.
  ///
  /// - Precondition: The shape lists the member.
  /// - Complexity: O(*n*) in the number of members.
  @inlinable
  public subscript<Part: Editable>(dynamicMember path: any KeyPath<Value, Part> & Sendable) -> StatePlace<Root, Part> {
    guard let (index, member) = shape.member(at: path), let typed = member.typedMember as? TypedMember<Value, Part>
    else {
      unlistedMember(path, of: Value.self, shape.type)
    }
    // The member of the whole state needs no step through the identity.
    let whole = steps.isEmpty ? typed.access as? Access<Root, Part> : nil
    return appending(
      whole ?? access.appending(typed.access), typed.shape, [.member(index)], [member.info.name],
      isDirect: member.info.isDirectlyStored)
  }

  /// Returns the place of the member at a key path.
  ///
  /// Like every map, it preserves composition: `map(\.a).map(\.b)` is the place of `b` in `a`.
  ///
  /// - Precondition: The shape lists the member.
  /// - Complexity: O(*n*) in the number of members.
  @inlinable
  public func map<Part: Editable>(_ path: any KeyPath<Value, Part> & Sendable) -> StatePlace<Root, Part> {
    self[dynamicMember: path]
  }

  /// The place of a case's payload, which is absent while another case is active.
  ///
  /// - Precondition: The shape lists the case, and the case has a payload.
  @inlinable
  public subscript<Payload>(case declaration: EnumCase<Value, Payload>) -> StatePlace<Root, Payload> {
    guard let payload = declaration.payload, let index = shape.index(ofCase: declaration.name) else {
      unlistedCase(declaration.name, of: Value.self)
    }
    let (value, depth) = (shape, steps.count)
    return appending(
      access.payload(declaration.path) { declaration.absence(in: $0, value, depth: depth) }, payload,
      [.payload(index)] + declaration.label.map { _ in .member(0) }, [declaration.name] + declaration.label)
  }

  /// Returns the place of the wrapped value, which is absent while the optional is nil.
  @inlinable
  public func unwrapped<Wrapped: Editable>() -> StatePlace<Root, Wrapped> where Value == Wrapped? {
    var segments: [String] = []
    if case .optional = Wrapped.shape.type.kind { segments = ["some"] }
    return appending(access.wrapped(depth: steps.count), Wrapped.shape, [.wrapped], segments)
  }

  /// The place of the wrapped value, which reads as `fallback` while the optional is nil.
  ///
  /// A write always sets the optional.
  @inlinable
  public subscript<Wrapped: Editable>(orDefault fallback: Wrapped) -> StatePlace<Root, Wrapped> where Value == Wrapped?
  {
    appending(access.orDefault(fallback), Wrapped.shape, [], [], isDirect: false)
  }

  /// The place of the element with an id, which is absent while the collection has no such element.
  @inlinable
  public subscript<Element: Identifiable & Editable>(id id: Element.ID) -> StatePlace<Root, Element>
  where Value == Identified<Element>, Element.ID: PathKey & Editable {
    let key = TypedKey(id)
    return appending(access.element(key, depth: steps.count), Element.shape, [.key(key)], [id.keyText])
  }

  /// The place of the entry with a key, which is absent while the dictionary has no such key.
  @inlinable
  public subscript<K: PathKey & Editable & Hashable, Entry: Editable>(key key: K) -> StatePlace<Root, Entry>
  where Value == [K: Entry] {
    appending(access.entry(key, depth: steps.count), Entry.shape, [.key(TypedKey(key))], [key.keyText])
  }
}

/// Stops the process because a place needs a member that the shape does not list.
@usableFromInline
func unlistedMember(_ path: AnyKeyPath, of type: Any.Type, _ info: TypeInfo) -> Never {
  guard info.kind.hasElements else {
    fatalError(
      "The shape of \(type) does not list \(path). Add a StoredMember or a ComputedMember with this key path.")
  }
  fatalError(
    """
    \(type) is a collection, so it has no members. The entries of a dictionary have places by key, as in [key: "a"], \
    and the elements of an Identified by id, as in [id: 1]. Those of other collections have none.
    """)
}

/// Stops the process because a place needs a case that the shape does not list, or that has no payload.
@usableFromInline
func unlistedCase(_ name: String, of type: Any.Type) -> Never {
  fatalError("The shape of \(type) lists no case “\(name)” with a payload. A case without payload is not a place.")
}
