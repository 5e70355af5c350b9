/// The names of all places, from which the operation ids follow.
///
/// A name depends on the types alone, not on the state or an order, so that generated clients keep their names: `Dish`
/// and `DishName` for an element and its member, the complete path for places whose short names would be equal
/// (`StateLunchDish` and `StateDinnerDish`).
struct OpenAPIOperationNames {
  /// The name of each place, by path.
  private var names: [String: String] = [:]
  /// The name of the elements of each collection, by the path of the collection.
  private var elementNames: [String: String] = [:]

  /// - Parameter reserved: The names of the operations outside the state.
  init(_ places: [OpenAPIPlace], reserved: Set<String>) {
    let counts = places.reduce(into: [:]) { $0[$1.words.joined(), default: 0] += 1 }
    var taken = reserved
    for place in places {
      let short = place.words.joined()
      let isUnique = counts[short] == 1 && !reserved.contains(short)
      let base = isUnique ? short : place.pathWords.joined()
      // Only names that differ in characters other than ASCII letters and digits need a number.
      let name = OpenAPINaming.unused(base) { !taken.insert($0).inserted }
      names[place.path] = name
      if place.path.hasSuffix("}"), let slash = place.path.lastIndex(of: "/") {
        elementNames[String(place.path[..<slash])] = name
      }
    }
  }

  /// Returns the name of a place.
  func name(of place: OpenAPIPlace) -> String { names[place.path] ?? place.pathWords.joined() }

  /// Returns the name of the elements of a collection.
  func elementName(of collection: OpenAPIPlace) -> String {
    elementNames[collection.path] ?? name(of: collection)
  }
}
