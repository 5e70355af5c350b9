package import BinderyCore
package import BinderyJSON

/// A model that was inferred from data.
package struct InferredModel: Sendable {
  package let declaration: ModelDeclaration
  /// The results, for the log: one sentence for each kind of place.
  package let findings: [String]
  /// The guesses that may be wrong, because the data does not show the answer.
  package let doubts: [String]

  /// Infers a model from data, which its first state can be.
  ///
  /// - Parameter isOpen: Whether objects may have further members, which are free JSON values.
  /// - Throws: ``ModelMistakes`` with a pointer into the data, if no model can contain it.
  package init(from data: JSONNode, isOpen: Bool = false) throws(ModelMistakes) {
    guard data.kind == .object else {
      throw ModelMistakes([
        ModelMistake(
          "expected an object, got \(data.excerpt(maximum: 40)): name the value, as in {\"items\": …}", at: "")
      ])
    }
    if let mistake = data.dataMistake() { throw ModelMistakes([mistake]) }
    let place = ObservedPlace()
    place.add(data)
    if let name = place.unusableName {
      throw ModelMistakes([ModelMistake("no URL can address a member named “\(name)”: rename it", at: "")])
    }
    var inference = ModelInference(isOpen: isOpen)
    let root = inference.structure(place, Place())
    declaration = ModelDeclaration(root: SchemaDeclaration(.structure(root)))
    findings = inference.findings.sentences
    doubts = inference.doubts.sentences
  }
}

/// A place during an inference.
struct Place {
  /// The segments of the place; an element is `{id}` or `*`.
  var segments: [String] = []
  /// The number of levels above the place.
  var level = 0
  /// Whether the place is inside a value that is replaced as a whole.
  var isInLeaf = false
  /// Whether the object that contains the place can keep the largest integer id of a collection.
  var keepsLargestID = false

  var text: String { segments.isEmpty ? "/" : Pointer.text(segments) }

  /// Returns the place of a part.
  func part(_ name: String, levels: Int, isInLeaf: Bool = false) -> Place {
    Place(segments: segments + [name], level: level + levels, isInLeaf: self.isInLeaf || isInLeaf)
  }
}

/// Statements, each with the places that it is true for.
struct PlaceList {
  private var entries: [(sentence: String, ofOne: String, places: [String])] = []
  /// The maximum number of places that a sentence names. The model file contains all of them.
  private static let maximumPlaces = 6

  /// Adds a place to a statement.
  ///
  /// - Parameter ofOne: The statement about a single place, if it differs.
  mutating func add(_ sentence: String, ofOne: String? = nil, _ place: String) {
    guard let index = entries.firstIndex(where: { $0.sentence == sentence }) else {
      return entries.append((sentence, ofOne ?? sentence, [place]))
    }
    entries[index].places.append(place)
  }

  var sentences: [String] {
    entries.map { entry in
      let more = entry.places.count - Self.maximumPlaces
      let places = entry.places.prefix(Self.maximumPlaces).joined(separator: ", ")
      let sentence = entry.places.count == 1 ? entry.ofOne : entry.sentence
      return "\(places)\(more > 0 ? " and \(more) more" : ""): \(sentence)"
    }
  }
}
