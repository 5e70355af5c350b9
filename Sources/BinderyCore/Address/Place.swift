/// The typed address of a place: what a URL is to people, this is to Swift code.
///
///     let quantity = Place<Menu, Menu>.root.dishes[id: id].status[case: Status.inStock]
///     quantity.path                       // "/dishes/…/status/inStock/quantity"
///     try store.edit(quantity) { $0 += 1 }
///
/// A place holds no value. Making one costs microseconds, using it nanoseconds: make it once.
@dynamicMemberLookup
public struct Place<Root: Sendable, Value: Sendable>: Sendable {
  /// How to get there and back.
  public let access: Access<Root, Value>
  /// What stands there.
  @usableFromInline package let shape: Shape<Value>
  @usableFromInline package let steps: [Step]
  @usableFromInline let segments: [String]

  /// The address as a JSON Pointer (RFC 6901), which behind `/state` is the URL's path.
  public var path: String { Pointer.text(segments) }

  @inlinable
  init(access: Access<Root, Value>, shape: Shape<Value>, steps: [Step], segments: [String]) {
    self.access = access
    self.shape = shape
    self.steps = steps
    self.segments = segments
  }

  @inlinable
  func appending<Part>(
    _ access: Access<Value, Part>, _ shape: Shape<Part>, _ steps: [Step], _ segments: [String]
  ) -> Place<Root, Part> {
    Place<Root, Part>(
      access: self.access.appending(access), shape: shape, steps: self.steps + steps,
      segments: self.segments + segments)
  }
}

extension Place where Root == Value, Root: Bindable {
  /// The whole state.
  @inlinable public static var root: Place { Place(access: .identity, shape: Root.shape, steps: [], segments: []) }
}

extension Place {
  /// A member that the shape lists.
  ///
  /// - Precondition: the shape lists it.
  @inlinable
  public subscript<Part: Bindable>(dynamicMember path: any KeyPath<Value, Part> & Sendable) -> Place<Root, Part> {
    guard let (index, member) = shape.member(at: path), let typed = member.part as? TypedMember<Value, Part> else {
      preconditionFailure("the shape of \(Value.self) does not list the member at \(path)")
    }
    return appending(typed.access, typed.shape, [.member(index)], [member.info.name])
  }

  /// The member at a key path; the map of a composition is the composition of the maps.
  @inlinable
  public func map<Part: Bindable>(_ path: any KeyPath<Value, Part> & Sendable) -> Place<Root, Part> {
    self[dynamicMember: path]
  }

  /// The payload of a case, there while the case is active.
  @inlinable
  public subscript<Payload>(case one: Case<Value, Payload>) -> Place<Root, Payload> {
    guard let payload = one.payload, let index = shape.index(ofCase: one.name) else {
      preconditionFailure("the shape of \(Value.self) lists no case “\(one.name)” with a payload")
    }
    let (value, depth) = (shape, steps.count)
    let absence: @Sendable (Value) -> Absence = { root in
      Absence(.inactiveCase(wanted: one.name, active: value.activeCase(of: root) ?? ""), depth: depth)
    }
    return appending(
      .payload(one.path, absence: absence), payload, [.payload(index)] + one.label.map { _ in .member(0) },
      [one.name] + one.label)
  }

  /// The value inside an optional, there while the optional is not nil.
  @inlinable
  public func unwrapped<Wrapped: Bindable>() -> Place<Root, Wrapped> where Value == Wrapped? {
    var segments: [String] = []
    if case .optional = Wrapped.shape.type.kind { segments = ["some"] }
    return appending(.wrapped(depth: steps.count), Wrapped.shape, [.wrapped], segments)
  }

  /// The value of an optional, or `fallback` while it is nil; any write fills the optional.
  @inlinable
  public subscript<Wrapped: Bindable>(orDefault fallback: Wrapped) -> Place<Root, Wrapped> where Value == Wrapped? {
    appending(.orDefault(fallback), Wrapped.shape, [], [])
  }

  /// The element with an id.
  @inlinable
  public subscript<Element: Identifiable & Bindable>(id id: Element.ID) -> Place<Root, Element>
  where Value == Identified<Element>, Element.ID: Key & Bindable {
    let absence = Absence(.noSuchElement(id.keyText), depth: steps.count)
    let access = Access<Value, Element>(
      read: { root throws(Absence) in
        guard let element = root[id: id] else { throw absence }
        return element
      },
      modify: { root, body in
        guard try root.edit(id: id, body) != nil else {
          guard root.contains(id: id) else { throw absence }
          throw ValidationError.fixedID
        }
      })
    return appending(access, Element.shape, [.key(TypedKey(id))], [id.keyText])
  }

  /// The entry with a key.
  @inlinable
  public subscript<K: Key & Bindable & Hashable, Entry: Bindable>(key key: K) -> Place<Root, Entry>
  where Value == [K: Entry] {
    let absence = Absence(.noSuchElement(key.keyText), depth: steps.count)
    let access = Access<Value, Entry>(
      read: { root throws(Absence) in
        guard let index = root.index(ofSame: key) else { throw absence }
        return root[index].value
      },
      modify: { root, body in
        guard let index = root.index(ofSame: key) else { throw absence }
        try body(&root.values[index])
      })
    return appending(access, Entry.shape, [.key(TypedKey(key))], [key.keyText])
  }
}

extension Dictionary where Key: BinderyCore.Key {
  /// The entry whose key has the same bytes; Swift's own look-up takes NFC and NFD for the same.
  @inlinable
  func index(ofSame key: Key) -> Index? {
    guard let index = index(forKey: key), Key.areSame(self[index].key, key) else { return nil }
    return index
  }
}
