import BinderyAPI
import BinderyCore

/// A place of the state as the document describes it: a path in which ids are parameters.
struct OpenAPIPlace: Sendable {
  /// A path parameter.
  struct Parameter: Sendable {
    let name: String
    let type: TypeInfo
    /// The id of an element of the example state, or another valid id.
    let example: OpenAPINode
  }

  /// The route with the ids of the example state.
  let route: Route
  /// The path template, such as `/state/dishes/{dishesId}`.
  let path: String
  let parameters: [Parameter]
  /// The capitalized segments of the path, for operation ids and schema names.
  let words: [String]
  /// The noun phrase for the place in summaries.
  let noun: String
  /// The name of the type of the place. A payload with labels has no type of its own and gets a derived name.
  let typeName: String
  /// The value of the place in the example state, or another valid value.
  let value: OpenAPINode

  /// The tag of its operations: the first segment of the path, or `state` for the root.
  let tag: String
  /// Indicates whether the value can be missing in some state of the service.
  let canBeAbsent: Bool
  /// Indicates whether a `PUT` creates the value if it is missing.
  let canBeCreated: Bool

  /// Indicates whether the path contains ids.
  var hasIDs: Bool { !parameters.isEmpty }

  /// The name of the place's schema if its type has no distinctive name.
  var hint: String { words.joined() }
}

extension OpenAPIPlace {
  /// Returns the place of the whole state.
  static func root(_ type: TypeInfo, example: OpenAPINode) -> OpenAPIPlace {
    OpenAPIPlace(
      route: .root(type), path: "/state", parameters: [], words: ["State"], noun: "the whole state",
      typeName: type.name, value: example, tag: "state", canBeAbsent: false, canBeCreated: false)
  }

  /// Returns the places one path segment below this one.
  func children(_ examples: OpenAPIExamples) -> [OpenAPIPlace] { children(of: route.target, value, examples) }

  private func children(of type: TypeInfo, _ value: OpenAPINode, _ examples: OpenAPIExamples) -> [OpenAPIPlace] {
    switch type.kind {
    case .scalar, .array, .set: return []
    case .product(let product):
      return product.members.filter { $0.role != .hidden }.compactMap { member in
        child(
          member.name, "`\(member.name)` of `\(typeName)`", member.type, value[member.name], examples,
          // A case with a single label can be created by a PUT to the label.
          canBeCreated: canBeCreated && isLabel(of: product))
      }
    case .sum(let cases):
      return cases.compactMap { enumCase in
        guard let payload = enumCase.payload else { return nil }
        return child(
          enumCase.name, "the case `\(enumCase.name)` of `\(type.name)`", payload, value[enumCase.name], examples,
          typeName: enumCase.isLabelled ? type.name + enumCase.name.capitalizedFirst : nil, canBeAbsent: true,
          canBeCreated: true)
      }
    case .optional(let wrapped):
      if case .optional = wrapped.kind {
        let some = child(
          "some", "the value in the optional `\(path.split(separator: "/").last ?? "")`", wrapped, value["some"],
          examples, canBeAbsent: true, canBeCreated: !type.isFixed)
        return some.map { [$0] } ?? []
      }
      let inside = value == .null ? examples.value(of: wrapped) : value
      return absentable(named: wrapped.name).children(of: wrapped, inside, examples)
    case .elements(let element, let key):
      return [self.element(element, key, first: value.elements.first, isFixed: type.isFixed, examples)].compactMap {
        $0
      }
    case .dictionary(let entry, let key):
      let first = value.entries.first
      return [self.entry(entry, key, first?.key, first?.value, examples)].compactMap { $0 }
    }
  }

  /// Indicates whether the members of the product are the single label of an enum case.
  private func isLabel(of product: ProductInfo) -> Bool {
    if case .payload? = route.steps.last { product.members.count == 1 } else { false }
  }

  /// Returns this place for the value inside an optional: values below it can be missing.
  private func absentable(named typeName: String) -> OpenAPIPlace {
    OpenAPIPlace(
      route: route, path: path, parameters: parameters, words: words, noun: noun, typeName: typeName, value: value,
      tag: tag, canBeAbsent: true, canBeCreated: false)
  }

  /// Returns the place of a member or an enum case.
  private func child(
    _ segment: String, _ noun: String, _ type: TypeInfo, _ value: OpenAPINode?, _ examples: OpenAPIExamples,
    typeName: String? = nil, canBeAbsent: Bool = false, canBeCreated: Bool = false
  ) -> OpenAPIPlace? {
    guard let route = route.resolving([segment], form: .url) else { return nil }
    return OpenAPIPlace(
      route: route, path: path + RequestTarget.path([segment]), parameters: parameters,
      words: (self.route.steps.isEmpty ? [] : words) + [segment.capitalizedFirst], noun: noun,
      typeName: typeName ?? type.name, value: value ?? examples.value(of: type),
      tag: self.route.steps.isEmpty ? segment : tag, canBeAbsent: self.canBeAbsent || canBeAbsent,
      canBeCreated: canBeCreated)
  }

  /// Returns the place of the elements of a collection.
  private func element(
    _ type: TypeInfo, _ key: KeyInfo, first: OpenAPINode?, isFixed: Bool, _ examples: OpenAPIExamples
  ) -> OpenAPIPlace? {
    var value = first ?? examples.value(of: type)
    var id = examples.value(of: key.type)
    if case .product(let product) = type.kind, let identity = product.identity {
      let member = product.members[identity]
      id = value[member.name] ?? id
      if value[member.name] == nil { value = value.adding([member.name: id]) }
    }
    return parameter(type, "a `\(type.name)` in `\(path)`", key, id, value, canBeCreated: !isFixed)
  }

  /// Returns the place of the entries of a dictionary.
  private func entry(
    _ type: TypeInfo, _ key: KeyInfo, _ id: String?, _ value: OpenAPINode?, _ examples: OpenAPIExamples
  ) -> OpenAPIPlace? {
    let id = id.map(OpenAPINode.text) ?? examples.value(of: key.type)
    return parameter(type, "an entry of `\(path)`", key, id, value ?? examples.value(of: type), canBeCreated: true)
  }

  /// Returns the place below this one whose last segment is an id.
  private func parameter(
    _ type: TypeInfo, _ noun: String, _ key: KeyInfo, _ id: OpenAPINode, _ value: OpenAPINode, canBeCreated: Bool
  ) -> OpenAPIPlace? {
    let text = id.text ?? String(decoding: id.json, as: UTF8.self)
    guard let route = route.resolving([text], form: .url) else { return nil }
    var name = (path.split(separator: "/").last { !$0.hasPrefix("{") }.map(String.init) ?? "") + "Id"
    if parameters.contains(where: { $0.name == name }) { name += String(parameters.count + 1) }
    let parameter = Parameter(name: name, type: key.type, example: id)
    return OpenAPIPlace(
      route: route, path: path + "/{\(name)}", parameters: parameters + [parameter], words: words + ["Item"],
      noun: noun, typeName: type.name, value: value, tag: tag, canBeAbsent: true, canBeCreated: canBeCreated)
  }
}

extension OpenAPIPlace {
  /// The maximum number of places in a document.
  static let maximumCount = 2_000

  /// Returns all places that the types define, parents before children.
  ///
  /// If there are more than ``maximumCount``, the result contains only the levels nearest to the root that fit. This
  /// also ends recursive types.
  static func all(below root: OpenAPIPlace, _ examples: OpenAPIExamples) -> [OpenAPIPlace] {
    var places = [root]
    for depth in 1...RequestTarget.maximumSegments {
      let deeper = root.descendants(examples, depth: depth)
      guard deeper.count > places.count, deeper.count <= maximumCount else { break }
      places = deeper
    }
    return places
  }

  /// Returns this place and all places at most `depth` segments below it.
  private func descendants(_ examples: OpenAPIExamples, depth: Int) -> [OpenAPIPlace] {
    guard depth > 0 else { return [self] }
    return [self] + children(examples).flatMap { $0.descendants(examples, depth: depth - 1) }
  }
}

extension String {
  /// The text with its first letter in upper case.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
