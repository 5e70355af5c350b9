// Each function takes the depth of the ``Absence`` that its access throws.
extension Access {
  /// Returns an access to the element with an id, which is absent while the collection has no such element.
  @inlinable
  func element<Element: Identifiable>(_ key: TypedKey<Element.ID>, depth: Int) -> Access<Root, Element>
  where Value == Identified<Element>, Element.ID: PathKey {
    let absence = Absence(.noSuchElement(key.text), depth: depth)
    return Access<Root, Element>(
      read: { [read] root throws(Absence) in
        guard let entry = try read(root).entry(of: key) else { throw absence }
        return entry.value
      },
      modify: { [modify] root, body in
        try modify(&root) { elements in
          guard try elements.edit(key, body) != nil else {
            guard elements.contains(id: key.key) else { throw absence }
            throw ValidationError.fixedID
          }
        }
      })
  }

  /// Returns an access to the value of a key, which is absent while the dictionary has no such key.
  @inlinable
  func entry<K: PathKey & Hashable, Entry>(_ key: K, depth: Int) -> Access<Root, Entry>
  where Value == [K: Entry] {
    let absence = Absence(.noSuchElement(key.keyText), depth: depth)
    return Access<Root, Entry>(
      read: { [read] root throws(Absence) in
        let entries = try read(root)
        guard let index = entries.index(ofSame: key) else { throw absence }
        return entries[index].value
      },
      modify: { [modify] root, body in
        try modify(&root) { entries in
          guard let index = entries.index(ofSame: key) else { throw absence }
          try body(&entries.values[index])
        }
      })
  }

  /// Returns an access to the element at an index, which is absent while the array is shorter.
  func element<Element>(at index: Int, depth: Int) -> Access<Root, Element> where Value == [Element] {
    let absence = Absence(.noSuchElement(String(index)), depth: depth)
    return Access<Root, Element>(
      read: { [read] root throws(Absence) in
        let elements = try read(root)
        guard elements.indices.contains(index) else { throw absence }
        return elements[index]
      },
      modify: { [modify] root, body in
        try modify(&root) { elements in
          guard elements.indices.contains(index) else { throw absence }
          try body(&elements[index])
        }
      })
  }
}
