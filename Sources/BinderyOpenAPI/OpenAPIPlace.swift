import BinderyAPI
import BinderyCore
import BinderyJSON

/// A place of the state as the document describes it: a path in which ids are parameters.
struct OpenAPIPlace: Sendable {
  /// A path parameter.
  struct Parameter: Sendable {
    let name: String
    /// A description of the element or entry that the id or key names.
    let description: String
    let type: TypeInfo
    /// The id of an element of the example state, or another valid id.
    let example: JSONTree
  }

  /// The route with the ids of the example state.
  let route: Route
  /// The path template, such as `/state/dishes/{dishId}`.
  let path: String
  let parameters: [Parameter]
  /// The words of its name: those of its members from the nearest element on, which has the name of its type.
  let words: [String]
  /// The words of a name that is unambiguous: those of the complete path.
  let pathWords: [String]
  /// The noun phrase for the place in summaries, such as ``"`name` of a `Dish`"``.
  let noun: String
  /// The noun phrase that names the place as the owner of what is below it.
  let ownerNoun: String
  /// The component name of the type, if the type has no distinctive name of its own.
  let hint: String
  /// The component name of the labels of an enum case, which have no type of their own; nil for other places.
  var labelsName: String?
  /// The value of the place in the example state, or another valid value.
  let value: JSONTree

  /// The tag of its operations: the first segment of the path, or `state` for the root.
  let tag: String
  /// The reasons why the value may be absent, as clauses.
  var absences: [String] = []
  /// The nearest computed member on the path; nil if there is none.
  var computed: String?
  /// The sentence about the origin of the value, if it is computed.
  var origin: String?
  /// Whether a `PUT` creates the value if it is missing.
  var canBeCreated = false

  /// The noun phrase for the value.
  var phrase: String {
    guard labelsName != nil, case .product(let labels) = route.target.kind else {
      return OpenAPIText.noun(route.target)
    }
    return "an object with " + OpenAPIText.list(labels.members.map { "`\($0.name)`" }, "and")
  }
}

extension OpenAPIPlace {
  /// Returns the place of the whole state.
  static func root(_ type: TypeInfo, example: JSONTree) -> OpenAPIPlace {
    OpenAPIPlace(
      route: .root(type), path: "/state", parameters: [], words: ["State"], pathWords: ["State"],
      noun: "the whole state", ownerNoun: "", hint: "State", value: example, tag: "state")
  }

  /// Returns the places one path segment below this one.
  func children(_ model: OpenAPIModel) -> [OpenAPIPlace] { children(of: route.target, value, model) }

  private func children(of type: TypeInfo, _ value: JSONTree, _ model: OpenAPIModel) -> [OpenAPIPlace] {
    switch type.kind {
    case .scalar, .array, .set: return []
    case .product(let product):
      let values = Dictionary(value.members.map { (Array($0.key.utf8), $0.value) }) { first, _ in first }
      let members = product.members.indices.filter { product.members[$0].role != .hidden }.compactMap {
        member($0, of: product, values[Array(product.members[$0].name.utf8)], model)
      }
      return members + [product.isOpen ? freeMember(of: product, value, model) : nil].compactMap(\.self)
    case .sum(let cases): return cases.compactMap { payload($0, of: type, value, model) }
    case .optional(let wrapped): return children(ofOptional: wrapped, isFixed: type.isFixed, value, model)
    case .elements(let element, let key):
      return [self.element(element, key, first: value.elements.first, isFixed: type.isFixed, model)]
        .compactMap(\.self)
    case .dictionary(let entry, let key): return [self.entry(entry, key, value.members.first, model)].compactMap(\.self)
    }
  }

  private func member(
    _ index: Int, of product: ProductInfo, _ value: JSONTree?, _ model: OpenAPIModel
  ) -> OpenAPIPlace? {
    let member = product.members[index]
    let owner = labelsName ?? model.names.name(of: route.target.unwrapped, hint: hint)
    var place = child(
      member.name, ownerNoun.isEmpty ? "`\(member.name)`" : "`\(member.name)` of \(ownerNoun)", member.type,
      value, hint: owner + OpenAPINaming.capitalized(member.name), model)
    if member.isComputed {
      place?.computed = member.name
      place?.origin = OpenAPIText.origin(of: index, in: product)
    }
    // A case with a single label can be created by a PUT to the label.
    if case .payload? = route.steps.last { place?.canBeCreated = canBeCreated && product.members.count == 1 }
    return place
  }

  private func payload(
    _ enumCase: CaseInfo, of type: TypeInfo, _ value: JSONTree, _ model: OpenAPIModel
  ) -> OpenAPIPlace? {
    guard let payload = enumCase.payload else { return nil }
    let labelsName = OpenAPITypeNames.labels(of: enumCase, in: model.names.name(of: type, hint: hint))
    var place = child(
      enumCase.name, "the case `\(enumCase.name)` of \(reference)", payload, value[enumCase.name], hint: labelsName,
      model)
    place?.labelsName = enumCase.isLabelled ? labelsName : nil
    place?.absences.append("\(reference) is not `\(enumCase.name)`")
    place?.canBeCreated = true
    return place
  }

  private func children(
    ofOptional wrapped: TypeInfo, isFixed: Bool, _ value: JSONTree, _ model: OpenAPIModel
  ) -> [OpenAPIPlace] {
    if case .optional = wrapped.kind {
      var some = child("some", "the value in \(reference)", wrapped, value["some"], hint: hint, model)
      some?.absences.append("\(reference) is null")
      some?.canBeCreated = !isFixed
      return [some].compactMap(\.self)
    }
    let inside = value == .null ? model.examples.value(of: wrapped) : value
    var base = self
    base.absences.append("\(reference) is null")
    base.canBeCreated = false
    return base.children(of: wrapped, inside, model)
  }

  /// The last member or element of the path, as a noun.
  private var reference: String { ownerNoun.isEmpty ? noun : ownerNoun }

  /// The sentence about the origin of the values below this one.
  private var part: String? { computed.map { "Part of the computed `\($0)`." } }

  /// Returns the place of a member, an enum case, or the value in an optional.
  private func child(
    _ segment: String, _ noun: String, _ type: TypeInfo, _ value: JSONTree?, hint: String,
    _ model: OpenAPIModel
  ) -> OpenAPIPlace? {
    guard let route = route.resolving([segment], form: .url) else { return nil }
    let isRoot = self.route.steps.isEmpty
    let word = OpenAPINaming.capitalized(segment)
    return OpenAPIPlace(
      route: route, path: path + RequestTarget.path([segment]), parameters: parameters,
      words: (isRoot ? [] : words) + [word], pathWords: pathWords + [word], noun: noun,
      ownerNoun: segment == "some" ? noun : "`\(segment)`", hint: hint,
      value: value ?? model.examples.value(of: type), tag: isRoot ? segment : tag, absences: absences,
      computed: computed, origin: part)
  }
}

// MARK: Elements and entries

extension OpenAPIPlace {
  /// Returns the place of the elements of a collection.
  private func element(
    _ type: TypeInfo, _ key: KeyInfo, first: JSONTree?, isFixed: Bool, _ model: OpenAPIModel
  ) -> OpenAPIPlace? {
    var value = first ?? model.examples.value(of: type)
    var id = model.examples.value(of: key.type)
    if let member = type.identity {
      id = value[member.name] ?? id
      if value[member.name] == nil { value = value.adding([member.name: id]) }
    }
    return parameter(
      type, named: OpenAPINaming.lowercased(type.name) + "Id", "The id of a `\(type.name)`.",
      "a `\(type.name)`", word: OpenAPINaming.capitalized(type.name), hint: hint + "Item", key, id, value,
      canBeCreated: !isFixed)
  }

  /// Returns the place of the entries of a dictionary.
  private func entry(
    _ type: TypeInfo, _ key: KeyInfo, _ first: JSONTree.Member?, _ model: OpenAPIModel
  ) -> OpenAPIPlace? {
    let id = first.map { JSONTree.string($0.key) } ?? model.examples.value(of: key.type)
    let member = path.split(separator: "/").last { !$0.hasPrefix("{") }.map(String.init) ?? ""
    return parameter(
      type, named: OpenAPINaming.lowercased(member) + "Key", "A key of \(reference).", "an entry", word: nil,
      hint: hint + "Entry", key, id, first?.value ?? model.examples.value(of: type), canBeCreated: true)
  }

  /// Returns the place of the members that an open struct does not declare.
  private func freeMember(of product: ProductInfo, _ value: JSONTree, _ model: OpenAPIModel) -> OpenAPIPlace? {
    let names = Set(product.members.map(\.name))
    let first = value.members.first { !names.contains($0.key) }
    let unused = (1...).lazy.map { "more\($0 == 1 ? "" : String($0))" }.first { !names.contains($0) } ?? ""
    return parameter(
      .freeMember, named: "memberKey", "The name of a member of \(reference) that the model does not declare.",
      "a further member", word: nil, hint: hint + "Entry", .freeMember, .string(first?.key ?? unused),
      first?.value ?? model.examples.value(of: .freeMember), canBeCreated: true)
  }

  /// Returns the place below this one whose last segment is an id.
  ///
  /// - Parameter word: The name of the place alone; nil if it needs that of the collection.
  private func parameter(
    _ type: TypeInfo, named base: String, _ description: String, _ noun: String, word: String?,
    hint: String, _ key: KeyInfo, _ id: JSONTree, _ value: JSONTree, canBeCreated: Bool
  ) -> OpenAPIPlace? {
    let text = id.string ?? id.text
    guard let route = route.resolving([text], form: .url) else { return nil }
    let name = OpenAPINaming.unused(base) { name in parameters.contains { $0.name == name } }
    let parameter = Parameter(name: name, description: description, type: key.type, example: id)
    let entry = "Entry"
    var place = OpenAPIPlace(
      route: route, path: path + "/{\(name)}", parameters: parameters + [parameter],
      words: word.map { [$0] } ?? words + [entry], pathWords: pathWords + [word ?? entry],
      noun: "\(noun) of \(reference)", ownerNoun: word == nil ? "\(noun) of \(reference)" : noun, hint: hint,
      value: value, tag: tag, absences: absences, computed: computed, origin: part, canBeCreated: canBeCreated)
    place.absences.append("\(reference) has no \(word == nil ? "such key" : "element with this id")")
    return place
  }
}

extension OpenAPIPlace {
  /// The maximum number of places in a document.
  static let maximumCount = 2_000

  /// Returns all places that the types define, parents before children.
  ///
  /// If there are more than ``maximumCount``, the result contains only the levels nearest to the root that fit.
  static func all(below root: OpenAPIPlace, _ model: OpenAPIModel) -> [OpenAPIPlace] {
    var places = [root]
    for depth in 1...RequestTarget.maximumSegments {
      let deeper = root.descendants(model, depth: depth)
      guard deeper.count > places.count, deeper.count <= maximumCount else { break }
      places = deeper
    }
    return places
  }

  /// Returns this place and all places at most `depth` segments below it.
  private func descendants(_ model: OpenAPIModel, depth: Int) -> [OpenAPIPlace] {
    guard depth > 0 else { return [self] }
    return [self] + children(model).flatMap { $0.descendants(model, depth: depth - 1) }
  }
}
